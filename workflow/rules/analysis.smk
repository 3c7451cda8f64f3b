# From autocorrelation times to tables, comparisons, figures and the report.


rule table:
    input:
        plan="results/plan/{size}/{experiment}/table.json",
        results=lambda w: expand(
            "results/{{size}}/{{experiment}}/tau/{batch}.json",
            batch=jobs.experiments[w.experiment].batches,
        ),
    output:
        report(
            "results/{size}/{experiment}/table.csv",
            caption="../captions/table.rst",
            category="{experiment}",
            labels={"file": "table", "size": "{size}"},
        ),
        "results/{size}/{experiment}/table.parquet",
    log:
        "results/{size}/{experiment}/log/table.txt",
    priority: lambda w: jobs.experiments[w.experiment].urgency + 2.0
    conda:
        "../envs/nrevu.yaml"
    shell:
        "nrevu table {input.plan:q} --results {input.results:q} --out {output:q} > {log:q} 2>&1"


rule confirmed:
    input:
        plan="results/plan/{size}/{experiment}/confirmed.json",
        results=lambda w: expand(
            "results/{{size}}/{{experiment}}/confirm/{batch}.json",
            batch=jobs.experiments[w.experiment].confirms,
        ),
    output:
        "results/{size}/{experiment}/confirmed.csv",
        "results/{size}/{experiment}/confirmed.parquet",
    log:
        "results/{size}/{experiment}/log/confirmed.txt",
    conda:
        "../envs/nrevu.yaml"
    shell:
        "nrevu confirmed {input.plan:q} --results {input.results:q}"
        " --out {output:q} > {log:q} 2>&1"


rule compare:
    input:
        plan="results/plan/{size}/{experiment}/compare.json",
        tables=lambda w: jobs.tables(w.experiment),
        confirmed=lambda w: jobs.confirmed(w.experiment),
    output:
        report(
            "results/{size}/{experiment}/comparison.csv",
            caption="../captions/comparison.rst",
            category="{experiment}",
            labels={"file": "comparison", "size": "{size}"},
        ),
    log:
        "results/{size}/{experiment}/log/compare.txt",
    conda:
        "../envs/nrevu.yaml"
    shell:
        "nrevu compare {input.plan:q} --table {input.tables:q}"
        " --confirmed {input.confirmed:q} --out {output:q} > {log:q} 2>&1"


rule figure:
    input:
        plan="results/plan/{size}/{experiment}/figure-{figure}.json",
        tables=lambda w: jobs.tables(w.experiment),
        traces=lambda w: jobs.traces(w),
        confirmed=lambda w: jobs.drawn_confirmed(w),
    output:
        report(
            "results/{size}/{experiment}/{figure}.svg",
            caption="../captions/figure.rst",
            category="{experiment}",
            labels={"file": "{figure}", "size": "{size}"},
        ),
        "results/{size}/{experiment}/{figure}.png",
        "results/{size}/{experiment}/{figure}.pdf",
    log:
        "results/{size}/{experiment}/log/figure-{figure}.txt",
    priority: lambda w: 1e-6 * jobs.experiments[w.experiment].cells
    conda:
        "../envs/nrevu.yaml"
    params:
        caption=lambda w: jobs.figure(w).caption,
    shell:
        "nrevu figure {input.plan:q} --table {input.tables:q} --traces {input.traces:q}"
        " --confirmed {input.confirmed:q} --out {output:q} > {log:q} 2>&1"


# The page on all experiments in results/SIZE, also those that other runs planned.
rule report:
    input:
        plan=jobs.plan_file(jobs.label, "report"),
        results=jobs.report_inputs(),
    output:
        report(
            jobs.pages()[0],
            caption="../captions/report.rst",
            category="The HTML report",
            labels={"file": "report", "size": jobs.label},
        ),
        jobs.pages()[1],
    log:
        f"results/log/report-{jobs.label}.txt",
    conda:
        "../envs/nrevu.yaml"
    shell:
        "nrevu page {input.plan:q} --out {output:q} > {log:q} 2>&1"


rule index:
    input:
        plan="results/plan/index.json",
        pages=jobs.index_inputs(),
    output:
        "results/report.html",
    log:
        "results/log/index.txt",
    conda:
        "../envs/nrevu.yaml"
    shell:
        "nrevu index {input.plan:q} --out {output:q} > {log:q} 2>&1"
