"""Tests invitations on the page: made and passed on, used by strangers, members and children, and refused."""

import json

from gallery import opened, until
from playwright.sync_api import expect
from service import PASSWORD, service

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True}


def invited(running, **order):
    """Makes an invitation as the owner of the service; returns it."""
    return running.owner("/v1/invitations", "-H", "Content-Type: application/json", "-d", json.dumps(order))


def audience(running, person, id="7b", name="Class 7b"):
    running.ask(f"/v1/audiences/{id}", "PUT", {"name": name, "kind": "class"}, person)


def test_a_stranger_joins_by_a_link_on_a_phone(browser):
    with service("--sign-up", "invitation") as running:
        running.owner("/v1/audiences/7b", "-X", "PUT", "-H", "Content-Type: application/json", "-d", json.dumps(
            {"name": "Class 7b", "kind": "class", "members": {"tea": "owner"}}))
        made = invited(running, audience="7b", role="poster")
        with opened(browser, running, f"/join#{made['code']}", **PHONE) as page:
            expect(page.get_by_role("heading", name="You are invited to Class 7b")).to_be_focused()
            assert page.url == f"{running.url}/join", "the code does not stay in the address"
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            form = page.get_by_role("main").locator("form")
            form.get_by_role("button", name="Join").click()
            expect(form.get_by_label("Name")).to_be_focused()
            form.get_by_label("Name").fill("Ann Lee")
            form.get_by_label("E-mail address").fill("ann@example.com")
            form.get_by_label("Password").fill(PASSWORD)
            form.get_by_label("Password").press("Enter")
            page.wait_for_url("**/")
            expect(page.locator("#tools .account")).to_have_attribute("aria-label", "Account of Ann Lee")
        members = running.owner("/v1/audiences/7b")["members"]
        assert sorted(members.values()) == ["owner", "poster"], members
        with opened(browser, running, f"/join#{made['code']}") as page:
            expect(page.get_by_role("alert")).to_have_text(
                "This invitation has been used. Ask the person who invited you for another.")


def test_each_code_that_does_not_work_says_what_to_do(browser, running):
    withdrawn = invited(running)
    running.owner(f"/v1/invitations/{withdrawn['id']}", "-X", "DELETE")
    for path, words in [
        ("/join#K7QM-2XRT", "There is no invitation with this code."),
        ("/join/K7QM-2XRT", "There is no invitation with this code."),
        ("/join#%ZZ", "There is no invitation with this code."),
        (f"/join#{withdrawn['code']}", "This invitation was withdrawn."),
    ]:
        with opened(browser, running, path) as page:
            expect(page.get_by_role("alert")).to_contain_text(words)
            assert page.url == f"{running.url}/join"
            expect(page.get_by_label("Code")).to_be_visible()


def test_a_member_joins_an_audience_with_one_button(browser, running):
    tea, ann = running.person("Tea Cher"), running.person("Ann Lee")
    audience(running, tea)
    made = running.ask("/v1/invitations", body={"audience": "7b", "short": True}, person=tea)
    with opened(browser, running, "/join", person=ann) as page:
        page.get_by_label("Code").fill(made["code"].lower())
        page.get_by_role("button", name="Next").click()
        expect(page.get_by_role("heading", name="Tea Cher invites you to Class 7b")).to_be_visible()
        page.get_by_role("button", name="Join").click()
        page.wait_for_url("**/")
    assert running.ask("/v1/audiences/7b", person=tea)["members"][ann.uid] == "reader"


def test_an_owner_makes_an_invitation_shows_its_code_and_withdraws_it(browser, running):
    tea, ann = running.person("Tea Cher"), running.person("Ann Lee")
    audience(running, tea)
    with opened(browser, running, "/", person=tea, **PHONE) as page:
        page.locator("#tools .account").click()
        page.get_by_role("menuitem", name="Invitations").click()
        page.get_by_label("As", exact=True).select_option("short")
        page.get_by_label("Note for yourself").fill("on the board")
        page.get_by_role("button", name="Make an invitation").click()
        expect(page.get_by_role("heading", name="The invitation is ready")).to_be_focused()
        code = page.locator(".big-code").inner_text()
        row = page.locator(".invitation-list li").first
        expect(row).to_contain_text(code)
        expect(row).to_contain_text("used 0 of 30")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        row.get_by_role("button", name="Withdraw").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Withdraw").click()
        expect(row).to_contain_text("withdrawn")
    with opened(browser, running, "/invitations", person=ann) as page:
        expect(page.get_by_text("Admins invite people here")).to_be_visible()
        expect(page.get_by_role("button", name="Make an invitation")).to_have_count(0)


def test_a_child_enters_by_a_picture_and_again_and_its_teacher_sees_it(browser, running):
    tea = running.person("Tea Cher")
    audience(running, tea)
    made = running.ask("/v1/invitations", body={"audience": "7b", "short": True, "no_address": True}, person=tea)
    for is_back in (False, True):
        with opened(browser, running, f"/join#{made['code']}", **PHONE) as page:
            page.get_by_label("Your first name").fill("Mia")
            if not is_back:
                page.get_by_role("button", name="Join").click()
                expect(page.get_by_role("alert").filter(has_text="Choose a picture.")).to_be_visible()
            page.get_by_label("fish").check()
            if is_back:
                page.get_by_label("I have been here before").check()
            page.locator(".class-form button[type=submit]").click()
            page.wait_for_url("**/")
    with opened(browser, running, "/invitations", person=tea) as page:
        section = page.locator("section").filter(has=page.get_by_role("heading", name="Children of Class 7b")).last
        section.get_by_role("button", name="Remove: Mia").click()
        page.get_by_role("alertdialog").get_by_role("button", name="Remove").click()
        until(page, "no account", lambda: not running.ask("/v1/audiences/7b/accounts", person=tea)["accounts"])


def test_a_stranger_asks_to_join(browser):
    with service("--sign-up", "invitation,request") as running:
        with opened(browser, running, "/join") as page:
            page.get_by_text("No invitation? Ask to join").click()
            form = page.locator(".join-request form")
            form.get_by_label("Name").fill("Ann Lee")
            form.get_by_label("E-mail address").fill("ann@example.com")
            form.get_by_label("Who are you?").fill("I sing\nwith you.")
            form.get_by_role("button", name="Send").click()
            expect(page.get_by_text("Thank you.")).to_be_focused()
        assert [(r["name"], r["text"]) for r in running.owner("/v1/join-requests")["requests"]] == [("Ann Lee", "I sing with you.")]


def test_a_stranger_is_offered_what_the_service_takes_and_nothing_else(browser):
    offers = {
        "tab": "Sign up", "code": "I have an invitation code", "request": "No invitation? Ask to join",
    }
    for ways, shown in [
        ("email", {"tab"}), ("invitation", {"code"}), ("invitation,request", {"code", "request"}), ("none", set()),
    ]:
        with service("--sign-up", ways) as running:
            for preset, role in [("members", "main"), ("public", "dialog")]:
                running.set_up(preset)
                with opened(browser, running, "/all", **PHONE) as page:
                    if role == "dialog":
                        page.locator("#tools .account").click()
                    place = page.get_by_role(role)
                    expect(place.locator("input[autocomplete=current-password]")).to_be_visible()
                    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                    for kind, words in offers.items():
                        offer = place.get_by_role("tab", name=words) if kind == "tab" else place.get_by_text(words, exact=True)
                        expect(offer).to_have_count(int(kind in shown))


def test_a_stranger_is_offered_the_ways_in_in_german(browser):
    with service("--sign-up", "invitation,request") as running:
        running.set_up("members")
        with opened(browser, running, "/", locale="de-DE", **PHONE) as page:
            main = page.get_by_role("main")
            expect(main.get_by_role("heading", name="Ich habe einen Einladungscode")).to_be_visible()
            expect(main.get_by_text("Keine Einladung? Bitte um Aufnahme")).to_be_visible()
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_stranger_at_a_closed_page_comes_in_by_a_code_and_another_asks_to_join(browser):
    with service("--sign-up", "invitation,request") as running:
        running.set_up("members")
        made = invited(running, short=True)
        with opened(browser, running, "/people/maria", **PHONE) as page:
            main = page.get_by_role("main")
            main.get_by_role("button", name="Next").click()
            expect(main.get_by_text("Enter the code of your invitation.")).to_be_visible()
            main.get_by_label("Code", exact=True).fill("AAAA-AAAA")
            main.get_by_role("button", name="Next").click()
            expect(page.get_by_role("alert").filter(has_text="There is no invitation with this code.")).to_be_visible()
            assert page.url == f"{running.url}/join", "the code does not stay in the address"
            page.go_back()
            expect(page.get_by_text("This is for members.")).to_be_visible()
            main.get_by_label("Code", exact=True).fill(made["code"].lower())
            main.get_by_role("button", name="Next").click()
            form = main.locator("form")
            form.get_by_label("Name").fill("Ann Lee")
            form.get_by_label("E-mail address").fill("ann@example.com")
            form.get_by_label("Password").fill(PASSWORD)
            form.get_by_label("Password").press("Enter")
            page.wait_for_url(f"{running.url}/")
            expect(page.locator("#tools .account")).to_have_attribute("aria-label", "Account of Ann Lee")
            expect(page.locator("#top nav")).to_be_visible()
        with opened(browser, running, "/all", **PHONE) as page:
            page.get_by_role("main").get_by_text("No invitation? Ask to join").click()
            form = page.get_by_role("main").locator(".join-request form")
            form.get_by_label("Name").fill("Bob Wolf")
            form.get_by_label("E-mail address").fill("bob@example.com")
            form.get_by_role("button", name="Send").click()
            expect(page.get_by_text("Thank you.")).to_be_focused()
        assert [r["name"] for r in running.owner("/v1/join-requests")["requests"]] == ["Bob Wolf"]


def test_the_page_follows_another_choice_of_sign_up_without_a_restart(browser, running):
    running.set_up("members")
    for ways, role, words in [("invitation", "heading", "I have an invitation code"), ("email", "tab", "Sign up")]:
        (running.folder / "Storage/tintype.json").write_text(json.dumps({"sign-up": ways}))
        running.owner("/v1/reload", "-X", "POST")
        with opened(browser, running, "/") as page:
            expect(page.get_by_role("main").get_by_role(role, name=words)).to_be_visible()
