# The whole paper: snakemake --cores all
# A part of it:    snakemake --cores all --config experiments=fig1 size=quick
# Results are in results/SIZE/EXPERIMENT/, the page on them in results/SIZE/report.html; what each
# experiment is, in conf/experiment/.
import sys

from nrevu.pipeline import (
    locking,
    plan as planning,
    priorities,
    progress,
    resources as limits,
    targets,
)
from nrevu.results import layout

NREVU = [sys.executable, "-m", "nrevu"]

with progress.exit_on_mistake():
    tell = progress.tell if workflow.is_main_process else None
    least = limits.least_seconds(workflow)
    plan = planning.from_workflow(config, tell=tell, least=least)


report: "workflow/captions/workflow.rst"


rule all:
    input:
        plan.wanted(),


include: "workflow/rules.smk"


if workflow.is_main_process:
    with progress.exit_on_mistake():
        targets.check(workflow, plan)
        locking.prepare(workflow, plan)


onstart:
    priorities.unhurried(workflow)
    layout.write_records(plan.root / plan.label, plan.records())
    progress.start(workflow, plan)


onsuccess:
    progress.finish(plan)


onerror:
    progress.fail(plan)
