"""A page in a real browser stores a photo, from another origin, with the requests of Firebase's SDK for the web."""

from pages import PHOTO, run

# The requests of that SDK: by XMLHttpRequest, whose answer's header fields it reads.
SCRIPT = r"""
    const root = `http://${host}/v0/b/demo.appspot.com/o`
    const photo = await (await fetch('/photo.jpg')).arrayBuffer()
    const ask = (method, url, headers, body) => new Promise((done, fail) => {
        const request = new XMLHttpRequest()
        request.open(method, url)
        request.responseType = 'arraybuffer'
        const fields = {'X-Firebase-Storage-Version': 'webjs/10.14.1', ...headers}
        for (const name in fields) request.setRequestHeader(name, fields[name])
        request.onload = () => done({
            status: request.status, bytes: request.response, header: name => request.getResponseHeader(name),
            text: new TextDecoder().decode(request.response)})
        request.onerror = () => fail(new Error(`${method} ${url} was not allowed`))
        request.send(body)
    })
    const owner = {'Authorization': 'Firebase owner'}
    const start = (name, size) => ask('POST', `${root}?name=${encodeURIComponent(name)}`, {
        ...owner, 'X-Goog-Upload-Protocol': 'resumable', 'X-Goog-Upload-Command': 'start',
        'X-Goog-Upload-Header-Content-Length': String(size), 'X-Goog-Upload-Header-Content-Type': 'image/jpeg',
        'Content-Type': 'application/json; charset=utf-8'}, JSON.stringify({name, contentType: 'image/jpeg'}))
    const step = (url, command, offset, body) => ask('POST', url, {
        ...owner, 'X-Goog-Upload-Command': command, 'X-Goog-Upload-Offset': String(offset)}, body)
    const isSame = bytes => bytes.byteLength === photo.byteLength
        && new Uint8Array(bytes).every((byte, index) => byte === new Uint8Array(photo)[index])
"""


def store(page, body):
    return run(page, SCRIPT + body)


def test_a_photo_in_several_requests_of_which_all_that_the_sdk_reads_may_be_read(page):
    found = store(page, """
        const begun = await start('u1/full/-P1/photo.jpg', photo.byteLength)
        const url = begun.header('X-Goog-Upload-URL')
        const half = photo.byteLength >> 1
        const first = await step(url, 'upload', 0, new Blob([photo.slice(0, half)]))
        const wrong = await step(url, 'upload', 0, new Blob([photo.slice(0, half)]))
        const asked = await ask('POST', url, {...owner, 'X-Goog-Upload-Command': 'query'})
        const last = await step(url, 'upload, finalize', half, new Blob([photo.slice(half)]))
        const answers = [begun, first, wrong, asked, last]
        return {
            url, half, size: JSON.parse(last.text).size, granularity: begun.header('X-Goog-Upload-Chunk-Granularity'),
            statuses: answers.map(answer => answer.status),
            states: answers.map(answer => answer.header('X-Goog-Upload-Status')),
            sizes: answers.slice(1).map(answer => Number(answer.header('X-Goog-Upload-Size-Received')))}
    """)
    half = found["half"]
    assert found["url"].startswith(f"http://{page.host}/v0/b/demo.appspot.com/o?")
    assert found["statuses"] == [200, 200, 400, 200, 200] and found["granularity"] == "262144"
    assert found["states"] == ["active", "active", "active", "active", "final"]
    assert found["sizes"] == [half, half, half, len(PHOTO)] and found["size"] == str(len(PHOTO))


def test_what_was_stored_is_shown_by_its_address_whole_and_in_parts(page):
    found = store(page, """
        const name = 'u1/full/-P2/photo.jpg'
        const metadata = JSON.stringify({name, contentType: 'image/jpeg'})
        const parts = ['--b\\r\\nContent-Type: application/json; charset=utf-8\\r\\n\\r\\n' + metadata
            + '\\r\\n--b\\r\\nContent-Type: image/jpeg\\r\\n\\r\\n', photo, '\\r\\n--b--']
        const put = await ask('POST', `${root}?name=${encodeURIComponent(name)}`, {
            ...owner, 'X-Goog-Upload-Protocol': 'multipart', 'Content-Type': 'multipart/related; boundary=b'}, new Blob(parts))
        const token = JSON.parse(put.text).downloadTokens
        const url = `${root}/${encodeURIComponent(name)}?alt=media&token=${token}`
        const whole = await ask('GET', url, {}), part = await ask('GET', url, {'Range': 'bytes=100-199'})
        const image = new Image()
        image.src = url
        await image.decode()
        const patched = await ask('PATCH', `${root}/${encodeURIComponent(name)}`, {
            ...owner, 'Content-Type': 'application/json; charset=utf-8'}, JSON.stringify({metadata: {k: 'v'}}))
        const removed = await ask('DELETE', `${root}/${encodeURIComponent(name)}`, owner)
        return {
            isSame: isSame(whole.bytes), width: image.naturalWidth, tag: whole.header('ETag'), hash: whole.header('x-goog-hash'),
            generation: whole.header('x-goog-generation'), disposition: whole.header('Content-Disposition'),
            part: [part.status, part.bytes.byteLength, part.header('Content-Range')],
            metadata: JSON.parse(patched.text).metadata, removed: removed.status,
            after: (await ask('GET', url, {})).status}
    """)
    assert found["isSame"] and found["width"] > 0 and found["metadata"] == {"k": "v"}
    assert found["part"] == [206, 100, f"bytes 100-199/{len(PHOTO)}"]
    assert all(found[name] for name in ("tag", "hash", "generation", "disposition"))
    assert found["removed"] == 204 and found["after"] in (403, 404)


def test_a_page_may_read_why_it_is_refused(page):
    found = store(page, """
        const refused = await ask('POST', `${root}?name=somebody%2Fa.jpg`, {'Content-Type': 'image/jpeg'}, new Blob([photo]))
        return [refused.status, JSON.parse(refused.text).error.message]
    """)
    assert found == [403, "Permission denied. No WRITE permission."]


def test_a_page_of_an_origin_that_is_not_allowed_stores_nothing(judged_tab):
    found = store(judged_tab, """
        const answer = await ask('POST', `${root}?name=u1%2Fa.jpg`, {
            'X-Goog-Upload-Protocol': 'resumable', 'X-Goog-Upload-Command': 'start'}, '{}').catch(error => null)
        return answer && answer.status
    """)
    # An allowed origin can read the service's error: the bucket does not exist there.
    assert found == (404 if judged_tab.is_allowed else None)
