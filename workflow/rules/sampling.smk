# Everything that runs chains. Each rule reads its plan file and calls one step of `nrevu`.
# The series of cells (results/cells/) are not declared as outputs: Snakemake deletes the outputs of
# a job before it runs the job again, and a finished cell must outlive a killed batch.
# Priorities: what others wait for longest comes first, so that no long confirmation is left at the
# end for one core.


rule compile:
    input:
        plan="results/plan/kernels/{kernel}.json",
    output:
        "results/kernels/{kernel}.txt",
    log:
        "results/kernels/{kernel}.log",
    priority: lambda w: jobs.kernels[w.kernel] + 2.0
    conda:
        "../envs/nrevu.yaml"
    resources:
        runtime=lambda w, attempt: attempt * planned.Job().minutes,
        mem_mb=lambda w, attempt: attempt * planned.Job().megabytes,
    shell:
        "nrevu compile {input.plan:q} --out {output:q} > {log:q} 2>&1"


rule sample:
    input:
        plan="results/plan/{size}/{experiment}/sample-{batch}.json",
        kernels=lambda w: [jobs.kernel_file(kernel) for kernel in jobs.batch(w).kernels],
    output:
        "results/{size}/{experiment}/tau/{batch}.json",
    log:
        "results/{size}/{experiment}/log/sample-{batch}.txt",
    priority: lambda w: jobs.experiments[w.experiment].urgency + 0.5
    conda:
        "../envs/nrevu.yaml"
    resources:
        runtime=lambda w, attempt: attempt * jobs.batch(w).minutes,
        mem_mb=lambda w, attempt: attempt * jobs.batch(w).megabytes,
    shell:
        "nrevu sample {input.plan:q} --out {output:q} > {log:q} 2>&1"


rule confirm:
    input:
        plan="results/plan/{size}/{experiment}/confirm-{batch}.json",
        cells=lambda w: jobs.cell_plans(w.experiment),
        table="results/{size}/{experiment}/table.parquet",
        earlier=lambda w: jobs.earlier(w),
    output:
        "results/{size}/{experiment}/confirm/{batch}.json",
    log:
        "results/{size}/{experiment}/log/confirm-{batch}.txt",
    priority: lambda w: jobs.experiments[w.experiment].urgency + 1.0
    conda:
        "../envs/nrevu.yaml"
    resources:
        runtime=lambda w, attempt: attempt * jobs.confirm(w).minutes,
        mem_mb=lambda w, attempt: attempt * jobs.confirm(w).megabytes,
    shell:
        "nrevu confirm {input.plan:q} --cells {input.cells:q} --table {input.table:q}"
        " --results {input.earlier:q} --out {output:q} > {log:q} 2>&1"


rule trace:
    input:
        plan="results/plan/{size}/{experiment}/trace.json",
        cells=lambda w: jobs.cell_plans(w.experiment),
        table="results/{size}/{experiment}/table.parquet",
    output:
        "results/{size}/{experiment}/traces.json",
    log:
        "results/{size}/{experiment}/log/trace.txt",
    priority: 1.0
    conda:
        "../envs/nrevu.yaml"
    resources:
        runtime=lambda w, attempt: attempt
        * jobs.experiments[w.experiment].trace.minutes,
        mem_mb=lambda w, attempt: attempt
        * jobs.experiments[w.experiment].trace.megabytes,
    shell:
        "nrevu trace {input.plan:q} --cells {input.cells:q} --table {input.table:q}"
        " --out {output:q} > {log:q} 2>&1"
