"""Make `.venv` and install into it: what every `make` target runs first. Standard library only, because nothing is installed yet.

`python3 -P kbweb/bootstrap.py run|dev`. A stamp in `.venv` makes the second run a matter of milliseconds.

KB_TORCH    auto (default): a CPU build where no NVIDIA GPU is, else the default build; cpu; cuda; none: the site without workers
KB_TORCH_INDEX  extra package index for the CPU build (default: PyTorch's own, when it answers; `none`: no extra index)
KB_WHEELS   folder of wheels: install from it without network, over the torch that this Python already has
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "kbweb-installed.json"
CPU_INDEX = "https://download.pytorch.org/whl/cpu"


class Impossible(Exception):
    """The set-up cannot go on; the text says why and what to do."""


def main() -> int:
    wanted = sys.argv[1] if len(sys.argv) > 1 else "run"
    try:
        return set_up(wanted)
    except Impossible as error:
        print(f"set-up: {error}", file=sys.stderr)
        return 3


def set_up(wanted: str) -> int:
    """Install the sets `run` or `run` and `dev` unless the stamp says that they are there."""
    if sys.version_info < (3, 11):  # noqa: UP036 (this file meets every Python that someone tries)
        raise Impossible(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}. Name another: make run PYTHON=python3.12")
    torch = torch_choice()
    wheels = os.environ.get("KB_WHEELS", "")
    if wheels and not Path(wheels).is_dir():
        raise Impossible(f"KB_WHEELS={wheels} is not a folder.")
    mark = fingerprint(torch, wheels)
    done = installed()
    if done.get("run") != mark:
        make_venv(wheels)
        install_site(torch, wheels)
        done = {"run": mark}
        STAMP.write_text(json.dumps(done))
    if wanted == "dev" and done.get("dev") != mark:
        say("installing the tools for tests and checks")
        pip([*dev_requirements()], wheels, constrained=False)
        STAMP.write_text(json.dumps({"run": mark, "dev": mark}))
    return 0


def torch_choice() -> str:
    choice = os.environ.get("KB_TORCH") or "auto"
    if choice not in ("auto", "cpu", "cuda", "none"):
        raise Impossible(f"KB_TORCH={choice} is not one of auto, cpu, cuda, none.")
    if choice == "auto":
        return "cuda" if Path("/dev/nvidiactl").exists() else "cpu"
    return choice


def fingerprint(torch: str, wheels: str) -> str:
    """Changes when another installation is wanted; settings of tools in `pyproject.toml` do not count."""
    what = [project()[table] for table in ("build-system", "project", "dependency-groups")]
    text = json.dumps([what, (ROOT / "constraints.txt").read_text(), sys.version, torch, wheels, str(ROOT)])
    return hashlib.sha256(text.encode()).hexdigest()


def project() -> dict[str, dict[str, object]]:
    import tomllib

    return tomllib.loads((ROOT / "pyproject.toml").read_text())


def installed() -> dict[str, str]:
    try:
        found = json.loads(STAMP.read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and PYTHON.exists() else {}


def make_venv(wheels: str) -> None:
    if not PYTHON.exists():
        try:
            import ensurepip
            import venv
        except ImportError:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise Impossible(
                f"this Python ({sys.executable}) has no venv module. Debian and Ubuntu: apt-get install python{version}-venv; "
                "or name another Python: make run PYTHON=python3.12"
            ) from None
        del ensurepip
        say(f"making .venv with Python {sys.version.split()[0]}")
        try:
            venv.EnvBuilder(with_pip=True, system_site_packages=bool(wheels), symlinks=True, clear=VENV.exists()).create(VENV)
        except (OSError, subprocess.CalledProcessError) as error:
            raise Impossible(f"cannot make {VENV}: {error}") from error
    if wheels:
        borrow_torch()


def borrow_torch() -> None:
    """Let the new environment see the torch of the Python that runs this, wherever that one keeps it."""
    import importlib.util

    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        say("this Python has no torch; it must come from KB_WHEELS")
        return
    seen = subprocess.run([PYTHON, "-c", "import importlib.util as u; raise SystemExit(u.find_spec('torch') is None)"], check=False)
    if seen.returncode != 0:
        folder = subprocess.run(
            [PYTHON, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], check=True, capture_output=True, text=True
        )
        (Path(folder.stdout.strip()) / "borrowed-torch.pth").write_text(f"{Path(spec.origin).parent.parent}\n")


def install_site(torch: str, wheels: str) -> None:
    what = ".[worker]" if torch != "none" else "."
    say(f"installing {'the site and its workers' if torch != 'none' else 'the site alone'} (torch: {torch}); the first time takes minutes")
    extra: list[str] = []
    if torch == "cpu" and not wheels and (index := cpu_index()):
        extra = ["--extra-index-url", index]
    if wheels and not any(Path(wheels).glob("setuptools-*")):
        extra = ["--no-build-isolation"]
    pip([*extra, "--editable", what], wheels, constrained=not wheels)


def cpu_index() -> str:
    """An index with CPU builds of torch, which are ten times smaller: the given one, else PyTorch's if it answers."""
    given = os.environ.get("KB_TORCH_INDEX", "")
    if given:
        return "" if given == "none" else given
    try:
        with urllib.request.urlopen(f"{CPU_INDEX}/torch/", timeout=5):
            return CPU_INDEX
    except OSError:
        say("PyTorch's index of CPU builds does not answer; taking the torch that pip finds (KB_TORCH_INDEX names another index)")
        return ""


def dev_requirements() -> list[str]:
    lines = project()["dependency-groups"]["dev"]
    return [str(line) for line in lines] if isinstance(lines, list) else []


def pip(arguments: list[str], wheels: str, *, constrained: bool) -> None:
    command = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if wheels:
        command += ["--no-index", "--find-links", wheels]
    if constrained:
        command += ["--constraint", "constraints.txt"]
    if subprocess.run([*command, *arguments], cwd=ROOT, check=False).returncode != 0:
        raise Impossible("pip could not install (see above). Without network: KB_WHEELS=FOLDER. Without torch: KB_TORCH=none.")


def say(text: str) -> None:
    print(f"set-up: {text}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
