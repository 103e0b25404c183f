"""Tests the actions of people in the gallery: sign in, follow, like, comment, mention, and search."""

import json

from gallery import HOSTILE, opened, until
from playwright.sync_api import expect
from service import PASSWORD, ROOT, service


def account_button(page):
    return page.locator("#tools .account")


# MARK: Accounts


def test_somebody_signs_up_and_out_and_in_with_a_wrong_password_first(browser, running):
    with opened(browser, running, "/all") as page:
        account_button(page).click()
        dialog = page.get_by_role("dialog", name="Your account")
        expect(dialog.get_by_role("tabpanel").get_by_label("E-mail address")).to_be_focused()
        dialog.get_by_role("tab", name="Sign up").click()
        panel = dialog.get_by_role("tabpanel")
        panel.get_by_role("button", name="Sign up").click()
        expect(panel.get_by_label("Name")).to_be_focused()
        expect(panel.get_by_label("Name")).to_have_accessible_description("Others see it beside what you post. Enter a name.")
        panel.get_by_label("Name").fill("Ann Lée")
        panel.get_by_label("E-mail address").fill("ann@example.com")
        panel.get_by_label("Password").fill("short")
        panel.get_by_label("Password").press("Enter")
        expect(panel.get_by_label("Password")).to_have_attribute("aria-invalid", "true")
        expect(panel.get_by_text("The password needs at least 6 characters.")).to_be_visible()
        assert panel.get_by_label("Password").get_attribute("autocomplete") == "new-password"
        panel.get_by_label("Password").fill(PASSWORD)
        panel.get_by_role("button", name="Show").click()
        assert panel.get_by_label("Password").get_attribute("type") == "text"
        panel.get_by_label("Password").press("Enter")
        expect(dialog).to_be_hidden()
        expect(account_button(page)).to_be_focused()
        uid = until(page, "the person", lambda: running.ask("/v1/people?search=ann")["people"])[0]["uid"]
        assert running.ask(f"/v1/people/{uid}")["full_name"] == "Ann Lée"

        account_button(page).click()
        expect(page.get_by_role("menuitem", name="Your page")).to_be_focused()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(account_button(page)).to_have_accessible_name("Sign in")

        account_button(page).click()
        panel = dialog.get_by_role("tabpanel")
        panel.get_by_label("E-mail address").fill("ann@example.com")
        panel.get_by_label("Password").fill("wrong horse")
        panel.get_by_role("button", name="Sign in").click()
        expect(panel.get_by_text("E-mail address or password is wrong.")).to_be_visible()
        expect(panel.get_by_label("Password")).to_be_focused()
        expect(panel.get_by_label("E-mail address")).to_have_value("ann@example.com")
        panel.get_by_label("Password").fill(PASSWORD)
        panel.get_by_label("Password").press("Enter")
        expect(dialog).to_be_hidden()
        assert json.loads(page.evaluate("localStorage['tintype.session']"))["user"]["uid"] == uid


def test_the_menu_of_the_account_opens_and_closes_by_keys_and_by_its_button(browser, running):
    with opened(browser, running, "/all", running.person("Ann")) as page:
        button = account_button(page)
        button.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("menuitem", name="Your page")).to_be_focused()
        page.keyboard.press("ArrowUp")
        expect(page.get_by_role("menuitem", name="Sign out")).to_be_focused()
        page.keyboard.press("Escape")
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(button).to_be_focused()
        button.click()
        expect(button).to_have_attribute("aria-expanded", "true")
        button.click()
        expect(page.get_by_role("menu")).to_have_count(0)
        expect(button).to_have_attribute("aria-expanded", "false")


def test_whoever_forgot_the_password_is_told_the_same_with_and_without_an_account(browser):
    with service("--account-command", "/bin/true") as running:
        running.person("Ann")
        with opened(browser, running, "/all") as page:
            account_button(page).click()
            panel = page.get_by_role("dialog").get_by_role("tabpanel")
            for address in ("ann@example.com", "nobody@example.com"):
                panel.get_by_role("button", name="Forgot your password?").click()
                panel.get_by_label("E-mail address").fill(address)
                panel.get_by_role("button", name="Send the message").click()
                expect(panel.get_by_text(f"If there is an account for {address}, a message is on its way to it.")).to_be_focused()
                panel.get_by_role("button", name="Back to signing in").click()


# MARK: People


def test_following_is_shown_at_once_and_taken_back_with_the_reason(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    with opened(browser, running, f"/people/{ann.uid}", bob) as page:
        header = page.locator("person-header")
        expect(header.get_by_role("heading", name="Ann")).to_be_visible()
        held = []
        page.route(f"**/v1/people/{ann.uid}", lambda route: held.append(route))
        header.get_by_role("button", name="Follow Ann").click()
        expect(header.get_by_role("button", name="1 follower")).to_be_visible()
        until(page, "the follow", lambda: running.ask(f"/v1/people/{ann.uid}/followers")["people"])
        header.get_by_role("button", name="1 follower").click()
        expect(page.get_by_role("dialog", name="Followers").get_by_role("link", name="Bob")).to_be_visible()
        # The head of the page is read again below the dialog, and the focus returns to the same button nevertheless.
        until(page, "Ann to be read again", lambda: held)
        picture = header.locator(".avatar").element_handle()
        held[0].continue_()
        until(page, "the head of the page to be shown again", lambda: not picture.evaluate("picture => picture.isConnected"))
        page.unroute(f"**/v1/people/{ann.uid}")
        page.keyboard.press("Escape")
        expect(header.get_by_role("button", name="1 follower")).to_be_focused()
        header.get_by_role("button", name="Following Ann").click()
        expect(header.get_by_role("button", name="0 followers")).to_be_visible()
        until(page, "the end of the follow", lambda: not running.ask(f"/v1/people/{ann.uid}/followers")["people"])

        running.ask(f"/v1/people/{ann.uid}/blocking/{bob.uid}", "PUT", person=ann)
        header.get_by_role("button", name="Follow Ann").click()
        expect(page.locator(".toast.problem")).to_contain_text("Following was taken back")
        expect(header.get_by_role("button", name="Follow Ann")).to_be_visible()
        expect(header.get_by_role("button", name="0 followers")).to_be_visible()


def test_somebody_edits_the_own_profile_and_blocks_another(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    running.ask(f"/v1/people/{ann.uid}/following/{bob.uid}", "PUT", person=ann)
    with opened(browser, running, f"/people/{ann.uid}", ann) as page:
        header = page.locator("person-header")
        header.get_by_role("button", name="Edit profile").click()
        dialog = page.get_by_role("dialog", name="Edit profile")
        words = running.folder / "words"
        words.write_text("no picture")
        dialog.locator("input[type=file]").set_input_files(words)
        expect(dialog.get_by_role("alert").first).to_contain_text("not supported")
        dialog.locator("input[type=file]").set_input_files(f"{ROOT}/Fixtures/photo.jpg")
        expect(dialog.get_by_text("The picture is there.")).to_be_visible()
        expect(header.locator("img")).to_have_js_property("naturalWidth", 512)
        dialog.get_by_label("Name").fill("Anna")
        dialog.get_by_label("About you").fill(HOSTILE)
        dialog.get_by_role("button", name="Save").click()
        expect(header.get_by_role("heading")).to_have_text("Anna")
        expect(header.locator(".bio")).to_have_text(HOSTILE)
        assert running.ask(f"/v1/people/{ann.uid}")["bio"] == HOSTILE
        header.get_by_role("button", name="Edit profile").click()
        dialog.get_by_role("button", name="Remove the picture").click()
        expect(header.locator("img")).to_have_count(0)
        page.keyboard.press("Escape")

        page.goto(f"/people/{bob.uid}")
        expect(header.get_by_role("button", name="Following Bob")).to_be_visible()
        header.get_by_role("button", name="More about Bob").click()
        page.get_by_role("menuitem", name="Block Bob").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Block").click()
        expect(header.get_by_role("button", name="Unblock")).to_be_visible()
        until(page, "the block", lambda: running.ask(f"/v1/people/{ann.uid}/blocking", person=ann)["people"])
        header.get_by_role("button", name="Unblock").click()
        expect(header.get_by_role("button", name="Follow Bob")).to_be_visible()
        until(page, "the end of the block", lambda: not running.ask(f"/v1/people/{ann.uid}/blocking", person=ann)["people"])


# MARK: While the service is away


def test_a_like_while_the_service_is_away_is_sent_once_when_it_is_back(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", bob) as page:
        like = page.locator(".details .like")
        expect(page.locator("comment-list")).to_be_visible()
        running.kill()
        like.click()
        expect(like).to_have_attribute("aria-pressed", "true")
        expect(like).to_have_text("1")
        running.start()
        until(page, "the like", lambda: len(running.ask(f"/v1/posts/{post}/likes")["people"]) == 1)
        until(page, "the end of the outbox", lambda: page.evaluate("localStorage['tintype.outbox'] ?? null") is None)
        expect(like).to_have_text("1")
        assert [notice["kind"] for notice in running.ask(f"/v1/people/{ann.uid}/notifications", person=ann)["notifications"]] == ["like"]


def test_a_comment_with_a_mention_is_sent_once_though_the_service_is_killed(browser, running):
    ann, bob, eve = running.person("Ann"), running.person("Bob"), running.person("Eve Özgür")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", bob) as page:
        field = page.get_by_role("textbox", name="Add a comment")
        field.focus()
        page.keyboard.type("😀 see @ev")
        option = page.get_by_role("option", name="Eve Özgür")
        expect(option).to_have_attribute("aria-selected", "true")
        assert field.get_attribute("aria-activedescendant") == option.get_attribute("id")
        page.keyboard.press("Enter")
        expect(field).to_have_value("😀 see @Eve Özgür ")
        page.keyboard.type("there")
        # Text that is typed before it moves the mention.
        page.keyboard.press("Control+Home")
        page.keyboard.type("Oh, ")
        # The request arrives, and its answer is lost with the service.
        sent = []

        def pass_on(route):
            if route.request.method != "POST":
                return route.continue_()
            sent.append(route.request.headers["idempotency-key"])
            if len(sent) > 1:
                return route.continue_()
            route.fetch()
            running.kill()
            route.abort()

        page.route("**/comments", pass_on)
        field.press("Control+Enter")
        row = page.locator(".comment")
        expect(row).to_have_class("comment pending")
        expect(field).to_have_value("")
        until(page, "the service's end", lambda: running.process.returncode is not None)
        expect(row).to_have_count(1)
        running.start()
        expect(row).to_have_class("comment")
        expect(row).to_have_count(1)
        expect(row.get_by_role("link", name="@Eve Özgür")).to_have_attribute("href", f"/people/{eve.uid}")
        (comment,) = running.comments(post)
        assert comment["text"] == "Oh, 😀 see @Eve Özgür there"
        assert [(mention["uid"], mention["start"], mention["length"]) for mention in comment["mentions"]] == [(eve.uid, 11, 10)]
        assert len(sent) > 1 and len(set(sent)) == 1, sent
        assert running.ask(f"/v1/people/{eve.uid}/notifications", person=eve)["unread"] == 1


def test_a_mention_whose_name_is_broken_is_none(browser, running):
    ann = running.person("Ann")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", ann) as page:
        field = page.get_by_role("textbox", name="Add a comment")
        field.focus()
        page.keyboard.type("@an")
        expect(page.get_by_role("option")).to_have_count(1)
        page.keyboard.press("Enter")
        expect(field).to_have_value("@Ann ")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("Backspace")
        page.keyboard.press("Escape")
        page.keyboard.press("Control+Enter")
        until(page, "the comment", lambda: running.comments(post))
        assert "mentions" not in running.comments(post)[0]


# MARK: Comments


def test_comments_come_live_and_are_edited_and_deleted(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    post = running.post(ann, "At the lake")
    for number in range(30):
        running.ask(f"/v1/posts/{post}/comments", body={"text": f"number {number}"}, person=bob)
    with opened(browser, running, f"/posts/{post}", ann) as page:
        rows = page.locator(".comment")
        expect(rows).to_have_count(20)
        expect(rows.last).to_contain_text("number 29")
        page.get_by_role("button", name="Show earlier comments").click()
        expect(rows).to_have_count(30)
        expect(rows.first).to_contain_text("number 0")
        expect(page.get_by_role("button", name="Show earlier comments")).to_be_hidden()
        # Comments of others, while it is open.
        new = running.ask(f"/v1/posts/{post}/comments", body={"text": HOSTILE}, person=bob)["comment_id"]
        expect(rows.last.locator(".text")).to_have_text(HOSTILE)
        expect(page.locator("[role=status]").filter(has_text="Bob says")).to_have_count(1)
        running.ask(f"/v1/posts/{post}/comments/{new}", "PATCH", {"text": "changed"}, bob)
        expect(rows.last.locator(".text")).to_have_text("changed")
        # The author of the post deletes them, and changes only their own.
        rows.last.get_by_role("button", name="More for the comment by Bob").click()
        expect(page.get_by_role("menuitem", name="Edit")).to_have_count(0)
        page.get_by_role("menuitem", name="Delete").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Delete").click()
        expect(rows).to_have_count(30)
        until(page, "the deletion", lambda: len(running.comments(post)) == 30)
        page.get_by_role("textbox", name="Add a comment").fill("mine")
        page.get_by_role("button", name="Send").click()
        expect(rows).to_have_count(31)
        expect(rows.last).to_have_class("comment")
        rows.last.get_by_role("button", name="More for the comment by Ann").click()
        page.get_by_role("menuitem", name="Edit").click()
        edit = rows.last.get_by_role("textbox", name="Edit")
        expect(edit).to_be_focused()
        expect(edit).to_have_value("mine")
        edit.fill("still mine")
        edit.press("Control+Enter")
        expect(rows.last.locator(".text")).to_have_text("still mine")
        expect(rows.last).to_contain_text("edited")
        until(page, "the change", lambda: running.comments(post)[-1]["text"] == "still mine")


def test_a_comment_that_is_refused_comes_back_into_its_field(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", bob) as page:
        field = page.get_by_role("textbox", name="Add a comment")
        expect(field).to_be_visible()
        running.ask(f"/v1/people/{ann.uid}/blocking/{bob.uid}", "PUT", person=ann)
        field.fill("nothing is lost")
        field.press("Control+Enter")
        expect(page.locator("comment-list [role=alert]")).to_have_text("This was not sent: One of you has blocked the other.")
        expect(field).to_have_value("nothing is lost")
        expect(page.locator(".comment")).to_have_count(0)
        # It is also there after a reload, and disappears once it is sent.
        page.reload()
        expect(field).to_have_value("nothing is lost")
        running.ask(f"/v1/people/{ann.uid}/blocking/{bob.uid}", "DELETE", person=ann)
        field.press("Control+Enter")
        expect(page.locator(".comment")).to_have_class("comment")
        page.reload()
        expect(page.locator(".comment")).to_have_count(1)
        expect(field).to_have_value("")


def test_a_comment_that_is_refused_while_its_post_is_not_open_waits_there(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", bob) as page:
        field = page.get_by_role("textbox", name="Add a comment")
        expect(field).to_be_visible()
        running.ask(f"/v1/people/{ann.uid}/blocking/{bob.uid}", "PUT", person=ann)
        running.kill()
        field.fill("typed before it was lost")
        field.press("Control+Enter")
        expect(page.locator(".comment.pending")).to_have_count(1)
        page.locator(".comment.pending .author").click()
        expect(page.locator("comment-list")).to_have_count(0)
        running.start()
        until(page, "the end of the outbox", lambda: page.evaluate("localStorage['tintype.outbox'] ?? null") is None)
        page.goto(f"/posts/{post}")
        expect(field).to_have_value("typed before it was lost")
        expect(page.locator(".comment")).to_have_count(0)


def test_long_texts_are_counted_and_not_sent(browser, running):
    ann = running.person("Ann")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", ann) as page:
        field = page.get_by_role("textbox", name="Add a comment")
        field.fill("👩‍👩‍👧‍👦" * 1990)
        expect(page.get_by_text("9 characters left")).to_be_visible()
        field.fill("x" * 2000)
        expect(page.get_by_text("1 character too many")).to_be_in_viewport()
        field.press("Control+Enter")
        expect(field).to_have_value("x" * 2000)
        assert running.comments(post) == []


# MARK: Posts


def test_the_author_changes_and_deletes_a_post(browser, running):
    ann = running.person("Ann")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", ann) as page:
        menu = page.get_by_role("button", name="More for the post by Ann")
        menu.click()
        page.get_by_role("menuitem", name="Edit text").click()
        dialog = page.get_by_role("dialog", name="Edit text")
        expect(dialog.get_by_role("textbox")).to_be_focused()
        expect(dialog.get_by_role("textbox")).to_have_value("At the lake")
        dialog.get_by_role("textbox").fill("On the lake #summer")
        dialog.get_by_role("button", name="Save").click()
        expect(page.locator(".details .text").first).to_have_text("On the lake #summer")
        expect(menu).to_be_focused()
        until(page, "the text", lambda: running.ask(f"/v1/posts/{post}")["text"] == "On the lake #summer")
        menu.click()
        page.get_by_role("menuitem", name="Delete").click()
        question = page.get_by_role("alertdialog", name="Delete this post?")
        expect(question.get_by_role("button", name="Cancel")).to_be_focused()
        question.get_by_role("button", name="Delete").click()
        until(page, "the deletion", lambda: running.ask("/v1/posts")["posts"] == [])


def test_others_flag_a_post(browser, running):
    ann, bob = running.person("Ann"), running.person("Bob")
    post = running.post(ann, "At the lake")
    with opened(browser, running, f"/posts/{post}", bob) as page:
        page.get_by_role("button", name="More for the post by Ann").click()
        expect(page.get_by_role("menuitem", name="Block Ann")).to_be_visible()
        expect(page.get_by_role("menuitem", name="Delete")).to_have_count(0)
        page.get_by_role("menuitem", name="Report").click()
        until(page, "the flag", lambda: running.ask(f"/postFlags/{post}/{bob.uid}.json?auth={bob.token}"))


# MARK: Searching


def test_searching_by_keys(browser, running):
    ann = running.person("Ann Lée")
    running.person("Anton")
    running.person(HOSTILE, "bob@example.com")
    running.post(ann, "On the roof #Antenna")
    with opened(browser, running, "/all") as page:
        field = page.locator("#top input[name=q]")
        field.focus()
        expect(field).to_have_role("combobox")
        page.keyboard.type("an")
        options = page.get_by_role("option")
        expect(options).to_have_count(3)
        expect(field).to_have_attribute("aria-expanded", "true")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        expect(options.first).to_have_attribute("aria-selected", "true")
        assert field.get_attribute("aria-activedescendant") == options.first.get_attribute("id")
        page.keyboard.press("Escape")
        expect(options).to_have_count(0)
        expect(field).to_have_value("an")
        page.keyboard.type("n l")
        expect(options).to_have_count(1)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_url(f"**/people/{ann.uid}")
        expect(page.locator("person-header h1")).to_have_text("Ann Lée")
        # After a # only hashtags are suggested.
        field.focus()
        page.keyboard.type("#an")
        expect(options).to_have_text("##antenna1 post")
        page.keyboard.press("ArrowUp")
        page.keyboard.press("Enter")
        page.wait_for_url("**/tags/antenna")
        field.fill("<img")
        field.press("Enter")
        page.wait_for_url("**/search?q=*")
        expect(page.get_by_role("main").get_by_role("link", name="onerror")).to_contain_text(HOSTILE)
