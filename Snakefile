# The whole paper: snakemake --cores all
# A part of it:    snakemake --cores all --config experiments=fig1 size=quick
# Results are in results/SIZE/EXPERIMENT/, the HTML report in results/SIZE/report.html; each
# experiment is described in conf/experiment/.
include: "workflow/Snakefile"


# Snakemake takes the default target from this file, not from one that is included.
rule everything:
    input:
        rules.all.input,
    localrule: True
