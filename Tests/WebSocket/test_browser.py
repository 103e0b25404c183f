"""Tests the service with a page in a real browser, from another origin, with the browser's own WebSockets, frames and requests."""

import pytest
from pages import run


@pytest.mark.parametrize("character", ["日", "é", "😀"])
@pytest.mark.parametrize("units", [16_384, 16_385, 200_000])
def test_messages_of_characters_that_are_not_ascii_go_both_ways(page, character, units):
    found = run(page, f"""
        const client = new Client(host, 'page-{units}-{ord(character)}')
        await client.opened
        const head = JSON.stringify({{t: 'd', d: {{r: 1, a: 'p', b: {{p: '/x', d: ''}}}}}}).length
        // No character of two units may cross the end of a frame: a browser would replace each half of it.
        const fill = '{character}'.length == 2 && head % 2 == 1 ? '.' : ''
        let text = fill
        while (head + text.length + '{character}'.length <= {units}) text += '{character}'
        while (head + text.length < {units}) text += '.'
        client.send({{r: 0, a: 'q', b: {{p: '/x', h: ''}}}})
        await client.answer(0)
        const sent = client.send({{r: 1, a: 'p', b: {{p: '/x', d: text}}}})
        const answer = await client.answer(1)
        const push = client.messages.filter(message => message.d.a === 'd').pop()
        client.socket.close()
        return [sent, answer.s, push.d.b.d === text, client.longest]
    """)
    assert found[:3] == [units, "ok", True]
    assert found[3] <= 16_384


def test_what_was_sent_by_one_page_is_pushed_to_another(page):
    assert run(page, """
        const one = new Client(host, 'page-two'), two = new Client(host, 'page-two')
        await Promise.all([one.opened, two.opened])
        two.send({r: 1, a: 'q', b: {p: '/chat', h: ''}})
        await two.answer(1)
        one.send({r: 1, a: 'm', b: {p: '/', d: {'/chat/a': 'ü', 'chat/b': {'.sv': 'timestamp'}}}})
        const push = await two.find(message => message.d.a === 'm')
        return Math.abs(push.d.b.d.b - Date.now()) < 60000 && push.d.b.d.a
    """) == "ü"


def test_a_browser_that_polls_is_healed(page):
    found = run(page, """
        localStorage.setItem('firebase:previous_websocket_failure', 'true')
        localStorage.setItem('other', 'kept')
        return await new Promise(done => {
            const frame = document.createElement('iframe')
            window.pLPCommand7 = (...command) => done(
                [command, localStorage.getItem('firebase:previous_websocket_failure'), localStorage.getItem('other')])
            document.body.appendChild(frame)
            const script = frame.contentWindow.document.createElement('script')
            script.src = `http://${host}/.lp?start=t&ser=12345678&cb=7&v=5&ns=page`
            script.onerror = () => done('the script was not loaded')
            frame.contentWindow.document.body.appendChild(script)
        })
    """)
    assert found == [["close"], None, "kept"]


def test_a_page_of_an_origin_that_is_not_allowed_gets_no_socket(judged_tab):
    assert run(judged_tab, "return await new Client(host, 'tintype').opened") is judged_tab.is_allowed
