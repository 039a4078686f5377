"""What becomes of problems: right, refused by the compiler with a reason, or wrong. Needs neither torch nor a GPU."""

import re


def refusal(error):
    """The compiler's reason, if the error is one: a diagnostic at a place of the program. Launches, the assembler and whatever else
    goes wrong refuse nothing."""
    if type(error).__module__.split(".")[0] != "fa_mlir":
        return None
    found = re.search(r"^\S*?(?::\d+:\d+)?: error: (.*)", str(error), re.MULTILINE)
    return found[1] if found and "ptxas" not in str(error) else None


class Counts:
    def __init__(self):
        self.passed, self.refused, self.failed = 0, 0, 0

    def add(self, name, run):
        """Runs one problem, prints what is wrong or refused, and returns the reasons why it failed."""
        try:
            reasons = run()
        except Exception as error:  # one problem's crash is that problem's failure
            why = refusal(error)
            if why:
                self.refused += 1
                print(f"refused {name}: {why}", flush=True)
                return []
            reasons = [f"{type(error).__name__}: {str(error)[:500]}"]
        if reasons:
            self.failed += 1
            print(f"FAIL {name}: {'; '.join(reasons)}", flush=True)
        else:
            self.passed += 1
        return reasons

    def __str__(self):
        return f"{self.passed} passed, {self.refused} refused, {self.failed} failed"
