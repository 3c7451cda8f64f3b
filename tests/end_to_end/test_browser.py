"""The report in a real browser, from a file: nothing fails, overlaps or hides, and it answers.

Needs Debian's chromium and chromium-driver, or the like; skipped where there are none, but not
under continuous integration.
"""

import os
import shutil

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from workflows import project, succeeded

pytestmark = pytest.mark.slow

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# Boxes on the page that must not overlap: what stands below or beside one another.
BOXES = """
const shown = e => e.getClientRects().length > 0;
const box = e => (r => [r.left, r.top, r.right, r.bottom])(e.getBoundingClientRect());
const groups = [document.body, ...document.querySelectorAll(".plots")];
return groups.map(group => [...group.children].filter(shown).map(box));
"""
# What Bokeh has drawn: for each plot the size of its canvas, and the pixels that are not blank.
DRAWN = """
const within = root => [...root.querySelectorAll("*")].flatMap(
  e => [e, ...(e.shadowRoot ? within(e.shadowRoot) : [])]);
return [...document.querySelectorAll(".plot")].map(plot => {
  const canvas = within(plot).find(e => e.tagName === "CANVAS" && e.width > 0);
  if (!canvas) return 0;
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  const paper = copy.getContext("2d", {willReadFrequently: true});
  paper.drawImage(canvas, 0, 0);
  const data = paper.getImageData(0, 0, copy.width, copy.height).data;
  let inked = 0;
  for (let i = 0; i < data.length; i += 4)
    inked += data[i + 3] > 0 && data[i] + data[i + 1] + data[i + 2] < 700;
  return inked;
});
"""
# Where, on the page, the first cell of a plot is drawn.
FIRST = """
const place = document.getElementById(arguments[0]);
const found = [];
for (const root of Bokeh.index.roots ?? Object.values(Bokeh.index)) found.push(root);
const view = found.find(v => place.contains(v.el) || place.shadowRoot?.contains(v.el));
const glyph = [...view.renderer_views.values()].find(v => v.model.data_source?.data?.command
  || v.model.data_source?.get_column?.("command"));
const source = glyph.model.data_source;
const [x, y] = [source.get_column("x")[0], source.get_column("y")[0]];
const frame = view.frame, own = view.el.getBoundingClientRect();
const at = [own.left + frame.x_scale.compute(x), own.top + frame.y_scale.compute(y)];
return [...at, source.get_column("settings")[0], source.get_column("command")[0]];
"""
TIP = """
const within = root => [...root.querySelectorAll("*")].flatMap(
  e => [e, ...(e.shadowRoot ? within(e.shadowRoot) : [])]);
return within(document).filter(e => e.classList?.contains("tip") && e.offsetHeight > 0)
  .map(e => e.textContent).join(" ");
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory, snakemake):
    """The report of a real run: lines, claims and traces of a sweep; a map, published numbers."""
    folder = project(tmp_path_factory.mktemp("work"))
    succeeded(snakemake(folder, "experiments=mine.yaml,mixed_hmc", "size=smoke"))
    return folder / "results/smoke/report.html"


@pytest.fixture(scope="module")
def browser():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if not (program and driver):
        message = "no browser: Debian's packages chromium and chromium-driver have one"
        pytest.fail(message) if os.environ.get("CI") else pytest.skip(message)
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for word in QUIET:
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    browser = webdriver.Chrome(options, webdriver.ChromeService(driver))
    yield browser
    browser.quit()


def opened(browser, report, width, dark=False, paper=False):
    """Open the report at a width and have all of its figures drawn."""
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    media = {"media": "print" if paper else "screen", "features": [scheme]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    browser.get(report.as_uri())
    if not paper:
        WebDriverWait(browser, 60, poll_frequency=0.1).until(all_drawn)
    return browser


def all_drawn(browser):
    """Tell whether every figure is drawn; else bring one that is not into view, which draws it."""
    inked = browser.execute_script(DRAWN)
    if not inked:  # the page is still loading
        return False
    if min(inked) > 0:
        return True
    plot = browser.find_elements(By.CLASS_NAME, "plot")[inked.index(0)]
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", plot)
    return False


def errors(browser):
    """Return what the console has said since it was last asked, but for good news."""
    return [entry for entry in browser.get_log("browser") if entry["level"] != "INFO"]


def overlap(a, b):
    """Tell whether two boxes share more than a pixel's width of a border."""
    return min(a[2], b[2]) - max(a[0], b[0]) > 1 and min(a[3], b[3]) - max(a[1], b[1]) > 1


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_drawn_whole_without_an_error(browser, report, width, dark):
    opened(browser, report, width, dark)
    assert min(browser.execute_script(DRAWN)) > 500  # each figure has ink
    for still in browser.find_elements(By.CSS_SELECTOR, ".still img"):
        assert still.is_displayed() and int(still.get_property("naturalWidth")) > 100
    reach = browser.execute_script("return document.documentElement.scrollWidth")
    assert reach <= width  # nothing sticks out: wide tables scroll by themselves
    for boxes in browser.execute_script(BOXES):
        for i, box in enumerate(boxes):
            assert not any(overlap(box, other) for other in boxes[:i])
    assert errors(browser) == []


def test_light_and_dark_differ_and_both_can_be_read(browser, report):
    colours = {}
    for dark in (False, True):
        opened(browser, report, 1280, dark)
        body = browser.find_element(By.TAG_NAME, "body")
        colours[dark] = [
            sum(map(float, body.value_of_css_property(name).split("(")[1].split(",")[:3]))
            for name in ("color", "background-color")
        ]
    assert colours[False][1] - colours[False][0] > 500  # of 765: dark on light
    assert colours[True][0] - colours[True][1] > 500


def test_pointing_at_a_cell_shows_what_it_is_and_how_to_run_it(browser, report):
    opened(browser, report, 1280)
    for plot in ("mine-1", "mixed_hmc-1"):  # a line and a map
        place = browser.find_element(By.ID, plot)
        browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", place)
        x, y, settings, command = browser.execute_script(FIRST, plot)
        pointer = ActionChains(browser)
        for shift in (2, 0):
            pointer.w3c_actions.pointer_action.move_to_location(int(x) + shift, int(y))
        pointer.perform()
        WebDriverWait(browser, 20).until(lambda b, words=settings: words in b.execute_script(TIP))
        text = " ".join(browser.execute_script(TIP).split())
        for words in (command, "rejection rate 0.", "τ = ", " ± ", "evaluated"):
            assert words in text
    assert errors(browser) == []


def test_sorting_and_searching(browser, report):
    opened(browser, report, 1280)
    table = browser.find_element(By.ID, "t-mine")
    heads = table.find_elements(By.TAG_NAME, "th")
    column = [head.text for head in heads].index("tau.log_prob")

    def values():
        rows = table.find_elements(By.CSS_SELECTOR, "tbody tr")
        return [float(r.find_elements(By.TAG_NAME, "td")[column].text.split()[0]) for r in rows]

    heads[column].click()
    assert values() == sorted(values()) and heads[column].get_attribute("aria-sort") == "ascending"
    heads[column].click()
    assert values() == sorted(values(), reverse=True)
    field = browser.find_element(By.CSS_SELECTOR, "input[data-for=t-mine]")
    field.send_keys("nonreversible")
    rows = [r for r in table.find_elements(By.CSS_SELECTOR, "tbody tr") if r.is_displayed()]
    assert len(rows) == 3 and all("nonreversible" in row.text for row in rows)
    field.send_keys(" no such word")
    assert not any(r.is_displayed() for r in table.find_elements(By.CSS_SELECTOR, "tbody tr"))
    assert errors(browser) == []


def test_on_paper_there_are_figures_and_whole_tables_but_nothing_to_press(browser, report):
    opened(browser, report, 1280, paper=True)
    images = browser.find_elements(By.CSS_SELECTOR, ".still img")
    assert images and all(image.is_displayed() for image in images)
    for unwanted in (".plots", "nav", "input"):
        elements = browser.find_elements(By.CSS_SELECTOR, unwanted)
        assert elements and not any(element.is_displayed() for element in elements)
    tables = browser.find_elements(By.CLASS_NAME, "tall")
    assert tables
    for tall in tables:
        assert tall.get_property("scrollHeight") <= tall.get_property("clientHeight") + 1


def test_the_index_leads_to_the_page(browser, report):
    browser.get((report.parent.parent / "report.html").as_uri())
    browser.find_element(By.LINK_TEXT, "smoke").click()
    WebDriverWait(browser, 20).until(lambda b: b.current_url == report.as_uri())
    assert errors(browser) == []
