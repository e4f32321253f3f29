"""The editor of the submit page: typing, files, starters, hints, and what happens without it. Nothing here waits for a verdict."""

from __future__ import annotations

import random
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from evaluator.build import detect
from submissions.line_diff import diff
from tests.browser.axe import axe_issues
from tests.browser.conftest import NewPage, example, submit_by_rest
from tests.live_site import LiveSite

MINE = "import torch\n\n\ndef relu_kernel_impl(x):\n    return torch.relu(x)  # mine\n"


@pytest.fixture
def editor(page: Page) -> Locator:
    """The editor on an open submit page."""
    page.goto("/submit/")
    found = page.get_by_role("textbox", name="Source", exact=True)
    expect(found).to_have_id("source-editor")
    return found


def source(page: Page) -> Locator:
    """The form's own field, which the editor keeps."""
    return page.locator("#id_source")


def drop(page: Page, name: str, content: bytes) -> None:
    moved = page.evaluate_handle(
        "([name, bytes]) => { const moved = new DataTransfer(); moved.items.add(new File([new Uint8Array(bytes)], name)); return moved; }",
        [name, list(content)],
    )
    page.dispatch_event(".cm-content", "drop", {"dataTransfer": moved})


def test_typing_indents_and_tab_does_not_trap(page: Page, editor: Locator) -> None:
    editor.focus()
    page.keyboard.type("def relu_kernel_impl(x):\nif x:\nreturn 1", delay=1)
    page.keyboard.press("Tab")
    expect(source(page)).to_have_value("def relu_kernel_impl(x):\n    if x:\n        return 1    ")

    page.keyboard.press("Control+z")
    expect(source(page)).to_have_value(re.compile(r"return 1$|^$|return$"))
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")

    expect(editor).not_to_be_focused()
    expect(page.get_by_label("Op", exact=True)).to_be_focused()
    page.keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    expect(page.get_by_label("Op", exact=True)).to_have_value("relu")


def test_a_dropped_file_tells_op_type_and_name(page: Page, editor: Locator) -> None:
    drop(page, "fast (1).py", example("softmax_triton.py").encode())

    expect(source(page)).to_have_value(example("softmax_triton.py"))
    expect(page.get_by_label("Op", exact=True)).to_have_value("softmax")
    expect(page.get_by_label("Kernel type").locator("option").first).to_have_text("detect from the source: triton")
    expect(page.locator("#chosen-op")).to_contain_text("softmax_kernel_impl")
    expect(page.locator("#id_filename")).to_have_value("fast _1_.py")

    drop(page, "picture.png", b"\x89PNG\r\n\xff")
    expect(page.locator("[data-field=source]")).to_contain_text("picture.png is not UTF-8 text")
    expect(source(page)).to_have_value(example("softmax_triton.py"))


def test_a_starter_replaces_what_was_written_only_when_asked(page: Page, editor: Locator) -> None:
    editor.fill(MINE)
    expect(page.get_by_label("Op", exact=True)).to_have_value("relu")
    starter = page.locator("#chosen-op").get_by_role("link", name="triton")

    starter.click()
    page.get_by_role("button", name="Keep mine").click()
    expect(source(page)).to_have_value(MINE)

    starter.click()
    page.get_by_role("button", name="Replace it").click()
    expect(source(page)).to_have_value(re.compile("triton"))
    page.locator("#chosen-op").get_by_role("link", name="torch", exact=True).click()  # nobody's work is lost: it is not asked
    expect(source(page)).not_to_have_value(re.compile("triton"))

    for _ in range(2):
        page.keyboard.press("Control+z")
    expect(source(page)).to_have_value(MINE)


def test_hints_say_what_the_server_would(page: Page, editor: Locator) -> None:
    editor.fill("import helion\nx = 1\n")
    page.get_by_label("Op", exact=True).select_option("softmax")
    page.get_by_text("Tolerance, timer").click()
    page.get_by_label("Seed").fill("7")
    page.get_by_label("Tolerance", exact=True).select_option("backendbench")
    expect(page.locator(".live-hint").filter(has_text="Policy backendbench")).to_be_visible()

    hinted = page.evaluate(
        "Object.fromEntries([...document.querySelectorAll('.live-hint')].filter((hint) => hint.textContent)"
        ".map((hint) => [hint.closest('[data-field]').dataset.field, hint.textContent]))"
    )
    page.get_by_role("button", name="Hand it in").click()
    expect(page.locator(".error")).to_have_count(3)
    refused = {error.get_attribute("id"): error.inner_text() for error in page.locator(".error").all()}

    assert "softmax_kernel_impl" in hinted.pop("source")  # a missing entry point is found by the build
    assert {f"id_{field}_error": says for field, says in hinted.items()} == refused


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_the_editor(new_page: NewPage, theme: str) -> None:
    page = new_page(color_scheme=theme)
    page.goto("/submit/?op=softmax")
    page.locator("#source-editor").fill("import helion  # a type that cannot be built\nx = f'{1}' + \"two\"\n")
    page.keyboard.press("Control+f")
    page.keyboard.type("x")
    expect(page.locator(".live-hint").filter(has_text="looks like helion")).to_be_visible()

    assert not axe_issues(page)


def test_an_edited_submission_shows_what_changed(page: Page, site: LiveSite) -> None:
    made = submit_by_rest(site, example("softmax_torch.py") + "\n# earlier\n", mode="test")
    page.goto(f"/s/{made['id']}/")
    page.get_by_role("link", name="Edit and hand in again").click()
    expect(page.locator("#source-changes")).to_contain_text("not changed yet")
    page.locator("#source-editor").press("Control+End")
    page.keyboard.type("# later")
    expect(page.locator("#source-changes")).to_contain_text("1 line added, 0 removed")

    page.keyboard.press("Control+Enter")

    expect(page.locator("#changes .ln.added")).to_contain_text("# later")
    expect(page.locator("#changes .section-head")).to_contain_text("1 line added, 0 removed")


def test_the_browser_counts_and_detects_as_the_server(page: Page, editor: Locator) -> None:
    chance = random.Random(7)
    texts = ["".join(f"{chance.choice('abcd')}\n" for _ in range(chance.randrange(12))) for _ in range(60)]
    pairs = [list(pair) for pair in zip(texts, reversed(texts), strict=True)]
    sources = [
        example("softmax_triton.py"),
        example("softmax_torch.py"),
        "x = load_inline(cuda_sources=[''])\n",
        'extern "C" __global__ void f() {}\n',
        "import torch\n__global__ = 1\n",
        "import helion\n",
        "import tritön\n",
        "a\u2028import triton\n",
        "",
    ]

    counted = page.evaluate(
        """async (pairs) => {
            const { changedLines } = await import("/static/js/changed-lines.js");
            return pairs.map(([before, after]) => changedLines(before, after));
        }""",
        pairs,
    )
    detected = page.evaluate(
        """async (sources) => {
            const { detect } = await import("/static/js/hand-in-rules.js");
            const rules = JSON.parse(document.querySelector("[data-submit-form]").dataset.rules);
            return sources.map((source) => detect(source, rules).type);
        }""",
        sources,
    )

    found = [diff(*pair) for pair in pairs]
    assert counted == [{"added": one.added, "removed": one.removed} for one in found]
    assert detected == [detect(text) for text in sources]


def test_a_file_chosen_before_the_editor_has_loaded_is_in_it(new_page: NewPage) -> None:
    page = new_page()
    held: list[Route] = []
    page.route("**/vendor/codemirror.js", lambda route: held.append(route))
    with page.expect_request("**/vendor/codemirror.js"):
        page.goto("/submit/", wait_until="domcontentloaded")
    page.get_by_label("Or a file").set_input_files({"name": "mine.py", "mimeType": "text/x-python", "buffer": MINE.encode()})

    held.pop().continue_()

    expect(page.locator("#source-editor")).to_contain_text("return torch.relu(x)  # mine")
    expect(page.get_by_label("Op", exact=True)).to_have_value("relu")
    expect(page.get_by_label("Or a file")).to_have_value("")


def test_without_the_editor_the_text_area_does(new_page: NewPage) -> None:
    page = new_page()
    page.route("**/vendor/codemirror.js", lambda route: route.fulfill(body="throw new Error('blocked')", content_type="text/javascript"))
    page.goto("/submit/?op=softmax")
    page.get_by_label("Source", exact=True).fill("x = 1\n")

    expect(page.locator(".live-hint").filter(has_text="named softmax_kernel_impl")).to_be_visible()
    page.keyboard.press("Control+Enter")

    page.wait_for_url("**/s/*/")
