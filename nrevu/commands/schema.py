"""Print the JSON Schema of experiments' files, for editors.

Save it next to your YAML files and begin each of them with the second line below. Editors with the
YAML language server then complete keys, explain them, and mark mistakes.

  nrevu schema > nrevu.schema.json
  # yaml-language-server: $schema=nrevu.schema.json
"""

import argparse
import json

from nrevu.commands.arguments import add_command


def add(subs) -> None:
    """Define the command."""
    add_command(subs, "schema", __doc__, execute)


def execute(args: argparse.Namespace) -> None:
    """Print the schema."""
    from nrevu.experiments.schema import schema

    print(json.dumps(schema(), indent=1))
