"""Runs the examples of Markdown pages and of the command line's help like a reader: in order, in a fresh folder.

A block that is fenced as `sh` is a list of commands, one a line (a backslash at the end of a line continues it). In a block
that is fenced as `console`, lines that begin with `$ ` are commands, and the lines below are their output, in which `…` stands
for anything, and ids, numbers and fingerprints may differ. A block that is fenced as `json NAME` is a file of that name. A
block that names another suite behind its language is left to that (Tests/harness/pages.py). Any other block is only shown. A
row of a table that ends with a command of Scripts/test-reliability is a promise: the command is run with small counts, since
`Scripts/test` runs each of them with larger ones.

A page's commands share one shell and one folder, which contains photos under the names that the pages use. A service is
running there on `Storage`, unless the page's first command starts one; `tintype serve …` ends the running service and starts
another. The examples of a help text run in the same way, after the data that it mentions has been created; questions are
answered as at a terminal. Addresses such as 127.0.0.1:8080 are replaced by free ones, so that pages can be tested beside a
running service.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from harness.pages import blocks, is_shown
from harness.ports import free_port
from harness.waiting import PATIENCE, Hang, eventually

# Variables for tests are not settings of the service.
for name in [name for name in os.environ if name.startswith("TINTYPE_")]:
    del os.environ[name]

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Commands that create the data that help texts mention, by command.
ACCOUNTS = [
    f"tintype user add {name}@example.com --uid {name} --generate-password" for name in ("maria", "ann", "ed")]
PEOPLE = [f"tintype person set {name} --name {name.title()}" for name in ("maria", "jan", "ann", "ed")]
AUDIENCE = """tintype api PUT /v1/audiences/class-7b '{"name": "7b", "kind": "class", "members": {"maria": "owner"}}'"""
REQUESTS = [
    "tintype serve --listen 127.0.0.1:8080 --sign-up invitation,request", AUDIENCE,
    *(f"""tintype api POST /v1/join-requests '{{"name": "{name.title()}", "email": "{name}@example.com"}}'"""
      for name in ("ann", "bob"))]
CHILDREN = [
    AUDIENCE, "tintype invite add --audience class-7b --no-address > code",
    *(f"""tintype api POST '/identitytoolkit.googleapis.com/v1/accounts:signInWithClassCode?key=x' """
      f"""'{{"invitation": "'"$(cat code)"'", "displayName": "{name}", "picture": "kite", "isNew": true}}'"""
      for name in ("Mia", "Jan"))]
RULES = ["tintype rules show > rules.json", "tintype rules show --storage-rules > storage.rules"]
PHOTO = "tintype upload photo.jpg --user maria"
# A run that lasts some seconds.
SLOW_RUN = [
    "tintype upload 1.jpg 2.jpg 3.jpg photo.jpg IMG_1.jpg logo.png --user maria",
    "tintype rethumb run --detach --limit 1 --with thumb=99"]
BACKUPS = [PHOTO, "tintype backup backups", "tintype backup house.tar"]
# A store of an earlier version, on which no service runs.
EARLIER = ["tintype serve --storage Other", f"rm -rf Storage; cp -a {ROOT}/Fixtures/store-0.1 Storage"]
SLOW_ORIGINALS = [SLOW_RUN[0], "tintype originals run --detach --limit 1 --rule re-encode,q50,0d"]
BEFORE_HELP = {
    "ops": ["tintype serve --listen 127.0.0.1:8080"],
    "serve": ["""echo '{"people": {"maria": {"full_name": "Maria"}}}' > data.json"""],
    "tree": [PHOTO, "tintype tree export -o tree.json"],
    "tree import": [
        PHOTO, "tintype tree export -o tree.json", "tintype tree export people -o people.json",
        "tintype tree export posts | gzip > posts.json.gz", "mkdir -p files/maria/full/a; cp photo.jpg files/maria/full/a/a.jpg",
        "echo '{\"people\": {\"ann\": {\"full_name\": \"Ann\"}}}' > firebase.json"],
    "post": [PHOTO], "post ls": [PHOTO],
    "inbox": ["mkdir -p Storage/inbox/maria; echo words > Storage/inbox/maria/notes.txt"],
    "inbox retry": ["mkdir -p Storage/inbox/maria; echo words > Storage/inbox/maria/lake.jpg"],
    "inbox rm": ["mkdir -p Storage/inbox/maria; echo words > Storage/inbox/maria/notes.txt"],
    "init": ["tintype serve --storage Other", "rm -rf Storage"],
    "user add": ["echo sesame! > secret"],
    "invite": [AUDIENCE], "invite add": [AUDIENCE], "invite ls": [AUDIENCE], "invite rm": ["tintype invite add"],
    "audience": ACCOUNTS, "audience set": ACCOUNTS, "audience ls": [AUDIENCE], "audience show": [AUDIENCE],
    "audience rm": [AUDIENCE, AUDIENCE.replace("class-7b", "class-8c")],
    "invite children": CHILDREN, "invite children ls": CHILDREN, "invite children set": CHILDREN, "invite children rm": CHILDREN,
    "invite requests": REQUESTS, "invite requests approve": REQUESTS, "invite requests decline": REQUESTS,
    "user show": ACCOUNTS, "user token": ACCOUNTS, "user password": ACCOUNTS, "user rm": ACCOUNTS,
    "person": PEOPLE, "person rm": PEOPLE, "api": [*PEOPLE, PHOTO],
    "rules check": RULES, "rules set": RULES,
    "rules test": [*RULES, """echo '{"cases": [{"as": "maria", "read": "posts", "expect": "allow"}]}' > cases.json"""],
    "rules explain": ["tintype rules show > new.json; tintype tree export -o tree.json"],
    "post rm": [PHOTO, "tintype upload logo.png --user maria"],
    "photo scrub": [PHOTO],
    "post moderate": ["tintype upload 1.jpg 2.jpg 3.jpg --user maria --one-post"],
    "upload": ["tintype person set anna --name Anna", AUDIENCE],
    "flag": [PHOTO, "tintype api PUT /v1/posts/-OaBcDeFgHiJkLmNoPqR/flags/ann"],
    "rethumb status": ["tintype rethumb run"], "rethumb rollback": ["tintype rethumb run"],
    "rethumb rm": ["tintype rethumb run"], "rethumb switch": ["tintype rethumb run --switch-last"],
    "rethumb run": [PHOTO], "rethumb pause": SLOW_RUN, "rethumb cancel": SLOW_RUN,
    "rethumb resume": [*SLOW_RUN, "tintype rethumb pause"], "post show": [PHOTO],
    "quota": [PHOTO], "quota ls": [PHOTO], "quota show": [PHOTO], "quota set": [PHOTO],
    "backup": [PHOTO, "tintype backup backups"], "backup run": [PHOTO], "backup ls": BACKUPS, "backup verify": BACKUPS,
    "backup prune": [*BACKUPS, PHOTO, "tintype backup backups"], "backup restore": [*BACKUPS, PHOTO, "tintype backup backups"],
    "store upgrade": EARLIER, "store upgrade run": EARLIER, "store upgrade confirm": [*EARLIER, "tintype store upgrade"],
    "store upgrade back": [*EARLIER, "tintype store upgrade"],
    "originals": [PHOTO, "tintype originals run --rule drop,365d"], "originals plan": [PHOTO], "originals run": [PHOTO],
    "originals status": ["tintype originals run --rule drop,365d"], "originals pause": SLOW_ORIGINALS,
    "originals cancel": SLOW_ORIGINALS, "originals resume": [*SLOW_ORIGINALS, "tintype originals pause"],
    "announcement rm": ["tintype announcement add hello"],
    # Files whose tree is lost.
    "store unclaimed rm": [
        PHOTO, "tintype serve --storage Other", "rm Storage/tree.*", "tintype serve --grace-period 0s"],
}

# The counts with which the commands that try to break a promise are run, by the name of what they do.
SMALL_COUNTS = {"crashes": "3", "power": "5", "inbox": "30 --kills 1", "poison": "", "faults": "1"}

# The longest duration of a command, in seconds. Only a hang takes longer.
HANG = 600

# The answers to questions about passwords and confirmations.
ANSWERS = {
    "tintype init": ["Rowing Club", "", "", "ann@example.com", "sesame!", "sesame!"],
    "tintype user add": ["sesame!", "sesame!"],
    "tintype user password": ["sesame!", "sesame!"],
    "tintype user rm": ["yes"],
    "tintype invite children rm": ["yes"],
    "tintype audience rm": ["yes"],
    "tintype person rm": ["yes"],
    "tintype tree import tree.json --replace": ["yes"],
    "tintype post rm": ["yes"],
    "tintype store unclaimed rm": ["yes"],
    "tintype store upgrade back": ["yes"],
    "tintype store unclaimed accept": ["yes"],
}

# The id of a post in help texts; it is replaced by that of the latest one.
SOME_POST = "-OaBcDeFgHiJkLmNoPqR"


class Failure(Exception):
    pass


class Command:
    """A command and, if the page shows it, its output."""

    def __init__(self, text, place, output=None):
        self.text, self.place, self.output = text, place, output


def commands_in_page(path):
    name = str(path.relative_to(ROOT))
    commands = {}
    for block in blocks(name):
        if block.suite != "test-documents":
            continue
        if block.language == "json":
            commands[block.number] = [
                Command(f"cat > {shlex.quote(block.words[0])} <<'END'\n{block.text}END", block.place)]
        else:
            commands[block.number] = [Command(text, block.place, output) for text, output in block.commands()]
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if promise := re.search(r"\| `Scripts/test-reliability (\w+)[^`]*` \|$", line):
            counts = SMALL_COUNTS.get(promise[1], "of no promise that examples.py knows")
            commands[number] = [Command(f"{ROOT}/Scripts/test-reliability {promise[1]} {counts}", f"{name}:{number}")]
    return [command for number in sorted(commands) for command in commands[number]]


def commands_in_help(tintype):
    """Returns the EXAMPLES of `tintype help` and of each command's help, by command; their explanations follow two spaces.

    A help text may have its subcommands in several groups, and these may have subcommands of their own.
    """
    wide = dict(os.environ, COLUMNS="1000")
    names, commands = [""], {}
    for name in names:
        text = subprocess.run([tintype, "help", *name.split()], env=wide, capture_output=True, text=True).stdout
        _, _, listed = text.partition("SUBCOMMANDS:\n")
        names += [f"{name} {word}".strip() for word in re.findall(r"^  ([a-z-]+)(?:, [a-z-]+)*(?: \(default\))?  +[A-Z]", listed, re.M)]
        examples = re.search(r"^EXAMPLES\n((?:  .*\n)+)", text, re.M)
        lines = re.sub(r"\\\n\s*", "", examples[1]).splitlines() if examples else []
        commands[name] = [
            Command(re.split(r"\s{2,}", line.strip())[0], f"tintype help {name}".strip()) for line in lines]
    return commands


class Reader:
    """A reader with a shell in a fresh folder, and the service that they have started."""

    def __init__(self, tintype):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="tintype-documents-"))
        self.service, self.ports, self.post = None, {}, SOME_POST
        self.log = self.folder / "service.log"
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "tintype").symlink_to(tintype)
        self.provide_files()
        environment = dict(
            os.environ, HOME=str(self.folder), PATH=f"{self.folder}/bin:{os.environ['PATH']}", LC_ALL="C.UTF-8")
        self.shell = subprocess.Popen(
            ["bash"], cwd=self.folder, env=environment, text=True, start_new_session=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def provide_files(self):
        fixtures = ROOT / "Fixtures"
        for name, fixture in {
            "lake.jpg": "photo.jpg", "photo.jpg": "photo.jpg", "1.jpg": "baseline-420.jpg", "2.jpg": "baseline-444.jpg",
            "3.jpg": "baseline-422.jpg", "IMG_1.jpg": "grey.jpg", "logo.png": "rgba-8.png",
        }.items():
            shutil.copy(fixtures / fixture, self.folder / name)
        (self.folder / "Pictures").mkdir()
        shutil.copy(fixtures / "baseline-440.jpg", self.folder / "Pictures" / "harbour.jpg")
        shutil.copy(fixtures / "photo.heic", self.folder)
        # A checkout, as far as `Scripts/run` needs one.
        (self.folder / "Scripts").symlink_to(ROOT / "Scripts")
        shutil.copy(pathlib.Path(__file__).parent / "your-app.py", self.folder)

    # The service

    def serve(self, command):
        self.stop_service()
        environment = dict(os.environ)
        words = command.split()
        while re.match(r"[A-Z_]+=", words[0]):
            name, value = words.pop(0).split("=", 1)
            environment[name] = value.strip("'")
        with open(self.log, "w") as log:
            self.service = subprocess.Popen(
                [str(self.folder / "bin/tintype"), *words[1:]], cwd=self.folder, env=environment, stdout=log, stderr=log)
        wanted = 2 if "--listen" in words else 1
        self.wait("the service to listen", lambda: self.log.read_text().count("listening on") >= wanted)

    def stop_service(self):
        if self.service and self.service.poll() is None:
            self.service.send_signal(signal.SIGTERM)
            self.service.wait(PATIENCE)
        self.service = None

    def wait(self, what, condition):
        def is_over():
            if self.service and self.service.poll() is not None:
                raise Failure(f"the service ended: {self.log.read_text()}")
            return condition()

        eventually(what, is_over, self.log.read_text)

    def inbox_is_empty(self):
        # A text waits for its photo.
        files = [path for path in self.folder.glob("Storage/inbox/*/*") if not path.name.startswith(".")
                 and path.suffix != ".json"]
        # A claimed file becomes a post, or fails, before its entry is deleted.
        claimed = list(self.folder.glob("Storage/incoming/*"))
        return not [path for path in files if path.is_file()] and not claimed

    # The shell

    def run(self, command):
        if re.match(r"Scripts/test( +#|$)", command.text):
            return  # It runs these examples.
        text = re.sub(r"127\.0\.0\.1:(\d+)", lambda match: f"127.0.0.1:{self.port(match[1])}", command.text)
        text = text.replace("/srv/photos", str(self.folder / "srv"))
        if re.match(r"([A-Z_]+=\S+ )*tintype serve", text):
            return self.serve(re.split(r"\s+#", text)[0])
        text = text.replace(SOME_POST, self.post)
        end = f"-- end of {time.monotonic_ns()}"
        self.shell.stdin.write(f"{{ {self.at_terminal(text)}\n}} </dev/null\ncode=$?; echo; echo \"{end} $code\"\n")
        self.shell.stdin.flush()
        output, limit = "", threading.Timer(HANG, os.killpg, [self.shell.pid, signal.SIGKILL])
        limit.start()
        for line in self.shell.stdout:
            if line.startswith(end):
                break
            output += line
        else:
            self.shell.wait()
        limit.cancel()
        if self.shell.returncode is not None:
            raise Failure(f"the shell has ended, or was ended after {HANG} s: {output}")
        output = output.removesuffix("\n")
        if (code := line.split()[-1]) != "0":
            raise Failure(f"exit code {code}: {output}")
        if command.output is not None and not is_shown(output, command.output):
            raise Failure(f"the page shows\n{command.output}\nbut it is\n{output}")
        if "upload" in text and (found := re.search(r"-[A-Za-z0-9_-]{19}(?![A-Za-z0-9_-])", output)):
            self.post = found[0]
        if "inbox/" in text:
            self.wait("the inbox to be empty", self.inbox_is_empty)

    def at_terminal(self, text):
        """Returns the command with a typist who answers its questions."""
        for asking, answers in ANSWERS.items():
            if text.startswith(asking) and not re.search("--(yes|generate-password|password-file)", text):
                typist = pathlib.Path(__file__).parent / "typist.py"
                return shlex.join([sys.executable, str(typist), text, *answers])
        return text

    def port(self, shown):
        if shown not in self.ports:
            self.ports[shown] = free_port()
        return self.ports[shown]

    def leave(self):
        self.shell.stdin.close()
        self.shell.wait(PATIENCE)
        self.stop_service()
        shutil.rmtree(self.folder)


def try_out(tintype, commands):
    """Runs the commands in a fresh folder; yields a text for each failure."""
    reader = Reader(tintype)
    try:
        if not re.match(r"([A-Z_]+=\S+ )*tintype serve", commands[0].text):
            reader.serve("tintype serve --inbox-quiet 1s")
        for command in commands:
            try:
                reader.run(command)
            except (Failure, Hang) as failure:
                yield f"{command.place}: {command.text}\n    {failure}"
            if reader.shell.poll() is not None:
                break
    finally:
        reader.leave()


def main():
    tintype = pathlib.Path(os.environ["TINTYPE"]).resolve()
    pages = [ROOT / "README.md", *sorted(ROOT.glob("Documentation/*.md"))]
    texts = {str(page.relative_to(ROOT)): commands_in_page(page) for page in pages}
    for name, commands in commands_in_help(tintype).items():
        before = [Command(text, "before the help") for text in BEFORE_HELP.get(name, [])]
        texts[f"tintype help {name}".strip()] = [*before, *commands] if commands else []
    tried = failed = 0
    for name, commands in texts.items():
        if not commands:
            continue
        failures = list(try_out(tintype, commands))
        tried, failed = tried + len(commands), failed + len(failures)
        print(f"{name}: {len(commands)} commands, {len(failures)} failed", flush=True)
        for failure in failures:
            print(failure, flush=True)
    if not tried:
        sys.exit("no page has an example")
    sys.exit(1 if failed else 0)


main()
