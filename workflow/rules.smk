# From an experiment's file to its figure, a step of the `nrevu` command each.
# The series of cells (results/cells/) are nobody's declared output: Snakemake deletes the outputs
# of a job before it runs the job again, and a finished cell must outlive a killed batch.


wildcard_constraints:
    size="[^/]+",
    experiment="[^/]+",
    batch="[0-9]+",


rule cells:
    output:
        "results/{size}/{experiment}/cells.json",
    params:
        source=lambda w: plan.sources[w.experiment],
        seed=[] if plan.seed is None else ["--seed", plan.seed],
        fingerprint=lambda w: plan.fingerprint(w.experiment),
    log:
        "results/{size}/{experiment}/log/cells.txt",
    shell:
        "{NREVU:q} cells {params.source:q} --size {wildcards.size} {params.seed} --json --out {output} > {log} 2>&1"


rule compile:
    input:
        expand("results/{{size}}/{experiment}/cells.json", experiment=plan.experiments),
    output:
        "results/{size}/kernels.txt",
    params:
        sources=plan.kernels_hash(),
    log:
        "results/{size}/kernels.log",
    shell:
        "{NREVU:q} compile --cells {input} --out {output} > {log} 2>&1"


rule sample:
    input:
        cells=ancient("results/{size}/{experiment}/cells.json"),
        kernels=ancient("results/{size}/kernels.txt"),
    output:
        "results/{size}/{experiment}/batches/{batch}.json",
    params:
        only=lambda w: plan.digests(w.experiment, w.batch),
    log:
        "results/{size}/{experiment}/log/sample-{batch}.txt",
    shell:
        "{NREVU:q} sample {input.cells} --store results/cells --only {params.only} --out {output} > {log} 2>&1"


rule tau:
    input:
        cells=ancient("results/{size}/{experiment}/cells.json"),
        batch="results/{size}/{experiment}/batches/{batch}.json",
    output:
        "results/{size}/{experiment}/tau/{batch}.json",
    params:
        only=lambda w: plan.digests(w.experiment, w.batch),
        estimate=lambda w: str(plan.experiments[w.experiment].estimate),
    log:
        "results/{size}/{experiment}/log/tau-{batch}.txt",
    shell:
        "{NREVU:q} tau {input.cells} --store results/cells --only {params.only} --out {output} > {log} 2>&1"


rule table:
    input:
        cells="results/{size}/{experiment}/cells.json",
        results=lambda w: expand(
            "results/{{size}}/{{experiment}}/tau/{batch}.json", batch=plan.batches[w.experiment]
        ),
    output:
        "results/{size}/{experiment}/table.csv",
        "results/{size}/{experiment}/table.parquet",
    log:
        "results/{size}/{experiment}/log/table.txt",
    shell:
        "{NREVU:q} table {input.cells} --results {input.results} --out {output} > {log} 2>&1"


rule figure:
    input:
        "results/{size}/{experiment}/table.parquet",
    output:
        expand("results/{{size}}/{{experiment}}/figure.{form}", form=["png", "svg", "pdf"]),
    params:
        source=lambda w: plan.sources[w.experiment],
        fingerprint=lambda w: plan.figure_fingerprint(w.experiment),
    log:
        "results/{size}/{experiment}/log/figure.txt",
    shell:
        "{NREVU:q} figure {params.source:q} --size {wildcards.size} --table {input} --out {output} > {log} 2>&1"
