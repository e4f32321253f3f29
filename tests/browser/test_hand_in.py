"""Hand in through the browser and watch: the verdict and the board come without a reload."""

from __future__ import annotations

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import JUDGED_MS, NewPage, example, submit_by_rest, write_source
from tests.live_site import LiveSite

SUBMISSION = re.compile(r"/s/\w{12}/$")


def hand_in(page: Page, source: str, op: str = "softmax", *, editor: bool = True) -> str:
    """Fill the form and send it; gives the submission's id. Without an editor the form's own field is filled."""
    page.goto(f"/submit/?op={op}")
    if editor:
        write_source(page, source)
    else:
        page.get_by_label("Source", exact=True).fill(source)
    page.get_by_role("button", name="Hand it in").click()
    page.wait_for_url(SUBMISSION)
    return page.url.rstrip("/").rpartition("/")[2]


def stays_loaded(page: Page) -> None:
    """Leave a mark that a reload would wipe."""
    page.evaluate("window.stillHere = true")


def was_not_reloaded(page: Page) -> bool:
    return bool(page.evaluate("window.stillHere === true"))


def test_a_triton_kernel_is_accepted_and_appears_on_an_open_board(new_page: NewPage) -> None:
    board, page = new_page(), new_page()
    board.goto("/ops/softmax/cpu/")
    expect(board.locator("[data-live-state=live]")).to_be_attached()
    stays_loaded(board)
    above = board.locator("#live").bounding_box()

    submission = hand_in(page, example("softmax_triton.py") + "\n# through the browser\n")
    stays_loaded(page)

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    expect(page.locator("#performance > .scroll tbody tr")).to_have_count(2)
    expect(page.locator("#verdict")).to_contain_text("interpreter")
    expect(board.locator(f"#interpreted a[href*='/s/{submission}/']")).to_be_visible()
    assert board.locator("#live").bounding_box()["y"] == above["y"], "what stands above the rows does not move"  # type: ignore[index]
    assert was_not_reloaded(page)
    assert was_not_reloaded(board)


def test_a_wrong_kernel_shows_what_was_wrong(new_page: NewPage, examples: dict[str, str]) -> None:
    page = new_page()

    page.goto(f"/s/{examples['softmax_wrong.py']}/")

    expect(page.locator("#verdict h2")).to_have_text("Wrong result")
    expect(page.get_by_text("wrong elements").first).to_be_visible()
    expect(page.locator(".mismatches tbody tr").first).to_be_visible()
    expect(page.locator("#reproduce-case")).to_contain_text("python -m evaluator run")
    expect(page.locator("#verdict")).to_contain_text("What to do:")


def test_a_broken_kernel_shows_the_traceback(new_page: NewPage, examples: dict[str, str]) -> None:
    page = new_page()

    page.goto(f"/s/{examples['gelu_raises.py']}/")

    expect(page.locator("#verdict h2")).to_have_text("Runtime error")
    expect(page.locator("#reasons")).to_contain_text("Error")


def test_stages_and_cases_fill_in_while_it_runs(new_page: NewPage) -> None:
    page = new_page()
    seen: list[str] = []
    page.expose_function("noteStage", lambda stage: seen.append(stage))  # a bound method of a builtin is refused

    hand_in(page, example("softmax_torch.py") + "\n# watched\n")
    page.evaluate(
        """() => new MutationObserver(() => {
            const now = document.querySelector('.rail [aria-current] strong');
            const cases = document.querySelectorAll('#cases tbody tr').length;
            window.noteStage(`${now ? now.textContent : 'Done'} ${cases > 0}`);
        }).observe(document.querySelector('#live'), {subtree: true, childList: true, characterData: true, attributes: true})"""
    )

    expect(page.locator("#verdict h2")).to_have_text("Accepted", timeout=JUDGED_MS)
    assert {"Checking true", "Timing true"} & set(seen)
    assert "Done true" in seen


def test_a_file_is_taken_into_the_text_and_names_its_op(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/submit/")

    page.get_by_label("Or a file").set_input_files(
        {"name": "fast.py", "mimeType": "text/x-python", "buffer": example("softmax_torch.py").encode()}
    )

    expect(page.locator("#id_source")).to_have_value(example("softmax_torch.py"))
    expect(page.get_by_label("Op", exact=True)).to_have_value("softmax")


def test_errors_stand_beside_the_field_and_the_text_stays(new_page: NewPage) -> None:
    page = new_page()
    page.goto("/submit/?op=softmax")
    write_source(page, "x = 1  # kept")
    page.get_by_label("CPU").uncheck()

    page.get_by_role("button", name="Hand it in").click()

    expect(page.locator("#id_device_error")).to_be_visible()
    expect(page.get_by_label("Source", exact=True)).to_have_text("x = 1  # kept")


def test_an_evaluation_is_cancelled_from_its_page(new_page: NewPage) -> None:
    page = new_page()
    hand_in(page, "import time\n\n\ndef softmax_kernel_impl(x, dim):\n    time.sleep(600)\n")

    page.get_by_role("button", name="Cancel").click()

    expect(page.locator("#verdict h2")).to_have_text("Cancelled", timeout=JUDGED_MS)


def test_a_bots_kernel_appears_on_the_home_page(new_page: NewPage, site: LiveSite) -> None:
    page = new_page(visitor=True)
    page.goto("/")
    expect(page.locator("[data-live-state=live]")).to_be_attached()

    made = submit_by_rest(site, example("softmax_torch.py") + "\n# by a bot\n")

    expect(page.locator(f"#recent a[href*='/s/{made['id']}/']").first).to_be_visible()
