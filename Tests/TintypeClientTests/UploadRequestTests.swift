import DaemonSupport
import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Requests about uploads, and synchronisation", .serialized)
struct UploadRequestTests {
    @Test("A draft gets its photos piece by piece, and is published once")
    func draft() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let time = Date(timeIntervalSince1970: 1_700_000_000)
            let draft = try await ann.beginDraft(NewPost("Two views", clientTime: time), idempotencyKey: "d")
            #expect(draft.value.state == .draft && draft.value.text == "Two views" && draft.changeNumber != nil)
            #expect(draft.value.clientTimestamp == time)
            let id = draft.value.id
            let file = fixture("size-24x16.jpg")
            let size = Int64(try Data(contentsOf: file).count)
            let photo = try await ann.beginPhoto(
                of: id, byteCount: size, name: "Søen.jpg", alternativeText: "A lake", idempotencyKey: "p1"
            ).value
            #expect(
                try await ann.beginPhoto(
                    of: id, byteCount: size, name: "Søen.jpg", alternativeText: "A lake", idempotencyKey: "p1"
                ).value == photo)
            let progress = Progress()
            let half = try await ann.send(.file(file, offset: 0, count: 400), at: 0, to: photo) { progress.note($0) }
            #expect(half.value.byteCount == 400 && !half.value.isComplete && progress.last == 400)
            let state = try await ann.upload(photo).value
            #expect(state.state == .receiving && state.receivedByteCount == 400 && state.expectedByteCount == size)
            #expect(state.draftID == id && state.purpose == .draftPhoto)
            let offset = try await ann.offset(of: photo).value
            #expect(offset == UploadOffset(byteCount: 400, expectedByteCount: size, isComplete: false))
            let wrong = await #expect(throws: Problem.self) {
                try await ann.send(.file(file, offset: 300, count: 100), at: 300, to: photo)
            }
            #expect(wrong?.code == .wrongOffset)
            let end = try await ann.send(.file(file, offset: 400, count: size - 400), at: 400, to: photo)
            #expect(end.value.byteCount == size && end.value.isComplete)
            #expect(try await ann.offset(of: photo).value.isComplete)
            let second = try await ann.beginPhoto(of: id, byteCount: 862, name: "b.jpg").value
            #expect(try await ann.send(.data(try Data(contentsOf: file)), at: 0, to: second).value.isComplete)
            let filled = try await ann.upload(id).value
            #expect(filled.photos.map(\.originalName) == ["Søen.jpg", "b.jpg"] && filled.photos.first?.width == 24)
            let publication = DraftPublication(
                text: "One view", alternativeTexts: ["", "A jetty"],
                photoNumbers: filled.photos.compactMap(\.number).reversed(),
                clientTime: time)
            let published = try await ann.publish(draft: id, publication)
            let post = try #require(published.value.post)
            #expect(post.id.rawValue == id.rawValue && post.text == "One view" && post.photos.count == 2)
            #expect(try await ann.publish(draft: id, publication).value == published.value, "the same request again")
            #expect(try await ann.upload(id).value.postID == post.id)
            let rendition = try #require(post.photos.first?.rendition(forWidth: 10))
            #expect(try await bob.media(at: rendition.address).count == rendition.byteCount.map { Int($0) })
            let originals = try await ann.originals(of: post.id).value
            #expect(originals.count == 2)
            #expect(try await Set(ann.originals(of: post.id, keepsLocation: true).value).isDisjoint(with: originals))
            let original = try #require(originals.first)
            #expect(try await phones.stranger.media(at: original).isEmpty == false, "a signed address is for everybody")
            await Refusal.check([
                Refusal(.notAllowed) { try await bob.originals(of: post.id) },
                Refusal(.wrongState) { try await ann.publish(draft: id, DraftPublication(text: "Other")) },
                Refusal(.wrongState) { try await ann.beginPhoto(of: id, byteCount: 1, name: "x") },
            ])
        }
    }

    @Test("Requests about uploads are refused with their reasons")
    func refusals() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let id = try await ann.beginDraft(NewPost("Two views")).value.id
            let photo = try await ann.beginPhoto(of: id, byteCount: 862, name: "a.jpg", idempotencyKey: "p1").value
            let given = try await ann.beginPhoto(of: id, byteCount: 5000, name: "c.jpg").value
            #expect(try await ann.cancelUpload(given).value == ())

            let textFile = fixture("text.jpg")
            let bad = try await ann.beginPhoto(of: id, byteCount: 47, name: "bad.jpg").value
            await Refusal.check([
                Refusal("unsupported_format") {
                    try await ann.send(.file(textFile, offset: 0, count: 47), at: 0, to: bad)
                },
                Refusal(.notFound) { try await bob.upload(id) },
                Refusal(.notFound) { try await bob.beginPhoto(of: id, byteCount: 1, name: "x") },
                Refusal(.notFound) { try await bob.offset(of: photo) },
                Refusal(.notFound) { try await bob.cancelUpload(photo) },
                Refusal(.notFound) { try await bob.publish(draft: id) },
                Refusal("bad_request") { try await ann.publish(draft: id, DraftPublication(photoNumbers: [7])) },
                Refusal(.keyReused) { try await ann.beginPhoto(of: id, byteCount: 1, name: "x", idempotencyKey: "p1") },
                Refusal("upload_expired") { try await ann.send(.data(Data([0])), at: 0, to: given) },
            ])
        }
    }

    @Test("An upload without waiting is accepted, and becomes a post")
    func accepted() async throws {
        try await Phones.run { phones in
            let draft = try await phones.ann.beginDraft(NewPost("Later")).value.id
            let outcome = try await phones.ann.publish(draft: draft, waits: false).value
            switch outcome {
            case .accepted(let upload): #expect(upload.id == draft)
            case .published(let post): #expect(post.id.rawValue == draft.rawValue)
            }
            #expect(try await phones.ann.publish(draft: draft).value.post?.text == "Later")
        }
    }

    @Test("A device reads its slice at once, then what has changed, and follows it")
    func changes() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let other = try await bob.post(text: "Elsewhere").id
            let first = try await ann.changes(limit: 5, including: [other])
            #expect(first.value.feed?.isReset == true && first.value.posts?.elements.map(\.id) == [other])
            // The service fills a new reader's feed after the first answer.
            var position = first.value.next
            while true {
                let change = try await ann.changes(since: position)
                if change.value.isEmpty { break }
                position = change.value.next
            }
            let events = try await ann.changeEvents(since: position, including: [other])
            var iterator = events.makeAsyncIterator()
            let post = try await ann.post(text: "Hello")
            let next = try #require(try await iterator.next())
            #expect(next.feed?.elements.map(\.id) == [post.id] && next.feed?.isReset == false)
            let liked = try await bob.setLike(true, of: post.id, by: "bob")
            var counts: SyncChanges.Counts?
            while counts == nil, let change = try await iterator.next() {
                counts = change.counts.first { $0.postID == post.id }
                if let number = change.changeNumber, counts != nil { #expect(number >= liked.changeNumber ?? .max) }
            }
            #expect(counts?.likes == 1)
            let change = try await ann.changes(since: position)
            #expect(change.value.feed?.elements.first?.counts?.likes == 1 && change.changeNumber != nil)
            await Refusal.check([
                Refusal("bad_request") { try await ann.changes(since: "x") },
                Refusal("bad_request") { try await ann.changes(including: (0...100).map { "p\($0)" }) },
                Refusal(.permissionDenied) { try await phones.stranger.changes() },
            ])
            await #expect(throws: Problem.self) { try await phones.stranger.changeEvents() }
            // The stream ends with the account, and no further one begins.
            try await phones.service.command(["user", "disable", "ann@example.org"])
            while try await iterator.next() != nil {}
            await #expect(throws: (any Error).self) { try await ann.changeEvents() }
        }
    }
}

/// The last number that a request has reported.
private final class Progress: Sendable {
    private let count = Guarded<Int64>(0)

    var last: Int64 { count.withLock { $0 } }
    func note(_ sent: Int64) { count.withLock { $0 = max($0, sent) } }
}
