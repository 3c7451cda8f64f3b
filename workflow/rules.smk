# From cells to a figure, a step of the `nrevu` command each.
# The series of cells (results/cells/) are nobody's declared output: Snakemake deletes the outputs
# of a job before it runs the job again, and a finished cell must outlive a killed batch.


# On a cluster these take seconds, once: they run where Snakemake does, not as jobs of their own.
localrules:
    all,
    table,
    confirmed,
    compare,
    figure,
    report,
    index,


# Nothing is made under the name of a size or an experiment that this run is not of.
wildcard_constraints:
    size=targets.only([plan.label]),
    experiment=targets.only(plan.experiments),
    batch=targets.only(targets.batch_names(plan)),
    kernel=targets.only(targets.kernel_names(plan)),
    figure=targets.only(targets.figure_names(plan)),


rule compile:
    output:
        "results/kernels/{kernel}.txt",
    log:
        "results/kernels/{kernel}.log",
    priority: lambda w: priorities.compiling(plan, w)
    resources:
        runtime=lambda w, attempt: attempt * limits.limits(0).minutes,
        mem_mb=lambda w, attempt: attempt * limits.limits(0).megabytes,
    shell:
        "{NREVU:q} compile results/kernels/{wildcards.kernel}.json --out {output:q} > {log:q} 2>&1"


rule sample:
    input:
        lambda w: plan.kernels(w.experiment, w.batch),
    output:
        "results/{size}/{experiment}/tau/{batch}.json",
    log:
        "results/{size}/{experiment}/log/sample-{batch}.txt",
    priority: lambda w: priorities.sampling(plan, w)
    resources:
        runtime=lambda w, attempt: attempt * limits.sampling(plan, w).minutes,
        mem_mb=lambda w, attempt: attempt * limits.sampling(plan, w).megabytes,
    params:
        cells=lambda w: str(plan.batch_file(w.experiment, w.batch)),
        max_lag=lambda w: plan.experiments[w.experiment].estimate.max_lag,
        mean=lambda w: plan.experiments[w.experiment].estimate.mean,
        code=plan.tau_code(),
    shell:
        "{NREVU:q} sample {params.cells:q} --max-lag {params.max_lag} --mean {params.mean}"
        " --store results/cells --out {output:q} > {log:q} 2>&1"


rule table:
    input:
        lambda w: expand(
            "results/{{size}}/{{experiment}}/tau/{batch}.json",
            batch=plan.batches[w.experiment],
        ),
    output:
        report(
            "results/{size}/{experiment}/table.csv",
            caption="captions/table.rst",
            category="{experiment}",
            labels={"file": "table", "size": "{size}"},
        ),
        "results/{size}/{experiment}/table.parquet",
    log:
        "results/{size}/{experiment}/log/table.txt",
    priority: lambda w: priorities.tabulating(plan, w)
    params:
        fingerprint=lambda w: plan.table_fingerprint(w.experiment),
    shell:
        "{NREVU:q} table --results {input:q} --out {output:q} > {log:q} 2>&1"


rule confirm:
    input:
        "results/{size}/{experiment}/table.parquet",
    output:
        "results/{size}/{experiment}/confirm/{batch}.json",
    log:
        "results/{size}/{experiment}/log/confirm-{batch}.txt",
    priority: lambda w: priorities.confirming(plan, w)
    resources:
        runtime=lambda w, attempt: attempt * limits.confirming(plan, w).minutes,
        mem_mb=lambda w, attempt: attempt * limits.confirming(plan, w).megabytes,
    params:
        words=lambda w: plan.words(w.experiment),
        groups=lambda w: plan.confirms[w.experiment][w.batch],
        fingerprint=lambda w: plan.confirm_fingerprint(w.experiment),
    shell:
        "{NREVU:q} confirm {params.words:q} --groups {params.groups} --table {input:q}"
        " --store results/cells --out {output:q} > {log:q} 2>&1"


rule confirmed:
    input:
        lambda w: plan.confirm_files(w.experiment),
    output:
        "results/{size}/{experiment}/confirmed.csv",
        "results/{size}/{experiment}/confirmed.parquet",
    log:
        "results/{size}/{experiment}/log/confirmed.txt",
    params:
        words=lambda w: plan.words(w.experiment),
        fingerprint=lambda w: plan.confirm_fingerprint(w.experiment),
    shell:
        "{NREVU:q} confirmed {params.words:q} --results {input:q} --out {output:q} > {log:q} 2>&1"


rule compare:
    input:
        tables=lambda w: plan.tables(w.experiment),
        confirmed=lambda w: plan.confirmed(w.experiment),
    output:
        report(
            "results/{size}/{experiment}/comparison.csv",
            caption="captions/comparison.rst",
            category="{experiment}",
            labels={"file": "comparison", "size": "{size}"},
        ),
    log:
        "results/{size}/{experiment}/log/compare.txt",
    params:
        words=lambda w: plan.words(w.experiment),
        fingerprint=lambda w: plan.comparison_fingerprint(w.experiment),
    shell:
        "{NREVU:q} compare {params.words:q} --table {input.tables:q}"
        " --confirmed {input.confirmed:q} --out {output:q} > {log:q} 2>&1"


# The page on all that results/SIZE holds: also on experiments that other runs planned.
rule report:
    input:
        lambda w: plan.report_inputs(),
    output:
        report(
            f"results/{plan.label}/report.html",
            caption="captions/report.rst",
            category="The whole report",
            labels={"file": "report", "size": plan.label},
        ),
        f"results/{plan.label}/report.json",
    log:
        f"results/log/report-{plan.label}.txt",
    params:
        label=plan.label,
        fingerprint=lambda w: plan.report_fingerprint(),
    shell:
        "{NREVU:q} page {params.label:q} --results results > {log:q} 2>&1"


rule index:
    input:
        lambda w: plan.index_inputs(),
    output:
        "results/report.html",
    log:
        "results/log/index.txt",
    params:
        fingerprint=lambda w: plan.index_fingerprint(),
    shell:
        "{NREVU:q} index --results results > {log:q} 2>&1"


rule trace:
    input:
        "results/{size}/{experiment}/table.parquet",
    output:
        "results/{size}/{experiment}/traces.json",
    log:
        "results/{size}/{experiment}/log/trace.txt",
    priority: priorities.tracing()
    resources:
        runtime=lambda w, attempt: attempt * limits.tracing(plan, w).minutes,
        mem_mb=lambda w, attempt: attempt * limits.tracing(plan, w).megabytes,
    params:
        words=lambda w: plan.words(w.experiment),
        fingerprint=lambda w: plan.trace_fingerprint(w.experiment),
    shell:
        "{NREVU:q} trace {params.words:q} --table {input:q} --store results/cells"
        " --out {output:q} > {log:q} 2>&1"


rule figure:
    input:
        tables=lambda w: plan.tables(w.experiment),
        traces=lambda w: plan.traces(w.experiment, w.figure),
        confirmed=lambda w: plan.drawn_confirmed(w.experiment, w.figure),
    output:
        report(
            "results/{size}/{experiment}/{figure}.svg",
            caption="captions/figure.rst",
            category="{experiment}",
            labels={"file": "{figure}", "size": "{size}"},
        ),
        "results/{size}/{experiment}/{figure}.png",
        "results/{size}/{experiment}/{figure}.pdf",
    log:
        "results/{size}/{experiment}/log/figure-{figure}.txt",
    priority: lambda w: priorities.drawing(plan, w)
    params:
        words=lambda w: plan.words(w.experiment),
        traces=lambda w: [
            f"--traces={file}" for file in plan.traces(w.experiment, w.figure)
        ],
        caption=lambda w: plan.caption(w.experiment, w.figure),
        fingerprint=lambda w: plan.figure_fingerprint(w.experiment, w.figure),
    shell:
        "{NREVU:q} figure {params.words:q} --name {wildcards.figure} --table {input.tables:q}"
        " {params.traces:q} --confirmed {input.confirmed:q} --out {output:q} > {log:q} 2>&1"
