import Foundation
import Testing
import TintypeClient
import TintypeModel

@Suite("Requests about posts, likes, comments and flags", .serialized)
struct PostRequestTests {
    @Test("Posts are listed, found, read, changed and deleted")
    func posts() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let time = Date(timeIntervalSince1970: 1_700_000_000.25)
            let mention = Mention(personID: "bob", start: 6, length: 4)
            let sent = try await ann.publish(
                NewPost("Hello @Bob #Sun", mentions: [mention], clientTime: time), idempotencyKey: "first")
            #expect(sent.changeNumber != nil)
            let post = try #require(sent.value.post)
            #expect(post.text == "Hello @Bob #Sun" && post.mentions == [mention] && post.clientTimestamp == time)
            #expect(
                try await ann.publish(NewPost("Hello @Bob #Sun", mentions: [mention]), idempotencyKey: "first").value
                    == sent.value, "the same request again")
            let second = try await ann.post(text: "Second")

            let all = try await bob.posts(limit: 1)
            #expect(all.value.elements.map(\.id) == [second.id] && all.value.hasMore && all.changeNumber != nil)
            #expect(try await bob.posts(before: all.value.next).value.elements.map(\.id) == [post.id])
            #expect(try await phones.stranger.posts().value.elements.isEmpty == false, "the rules let everybody read")
            #expect(try await bob.posts(by: "ann").value.elements.map(\.id) == [second.id, post.id])
            #expect(
                try await bob.posts(by: "ann", withPhotos: [String(repeating: "0", count: 64)]).value.elements.isEmpty)
            #expect(try await bob.posts(taggedWith: "sun").value.elements.map(\.id) == [post.id])
            #expect(try await bob.hashtags(startingWith: "SU").value.elements == [Hashtag("sun", postCount: 1)])
            #expect(try await ann.homeFeed(of: "ann").value.elements.map(\.id) == [second.id, post.id])

            let read = try await ann.post(post.id)
            let etag = try #require(read.etag)
            let edit = PostEdit(text: "Good night", mentions: [], clientTime: time)
            let edited = try await ann.editPost(post.id, edit, ifMatch: etag, idempotencyKey: "edit")
            #expect(edited.value.text == "Good night" && edited.value.editedAt != nil && edited.value.mentions.isEmpty)
            #expect(edited.value.clientEditedAt == time && edited.etag != etag && edited.changeNumber != nil)
            #expect(try await ann.editPost(post.id, edit, ifMatch: etag, idempotencyKey: "edit").etag == edited.etag)
            #expect(try await ann.originals(of: post.id).value.isEmpty)

            let deletion = try await ann.deletePost(post.id)
            #expect(deletion.value.postID == post.id && deletion.value.filesUntil > Date(timeIntervalSince1970: 0))
            await Refusal.check([Refusal(.notFound) { try await ann.post(post.id) }])
        }
    }

    @Test("Requests about posts are refused with their reasons")
    func refusals() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let post = try #require(try await ann.publish(NewPost("Hello"), idempotencyKey: "first").value.post)
            let etag = try #require(try await ann.post(post.id).etag)
            _ = try await ann.editPost(post.id, PostEdit(text: "Good night"), idempotencyKey: "edit")
            await Refusal.check([
                Refusal("precondition_failed") { try await ann.editPost(post.id, PostEdit(text: "x"), ifMatch: etag) },
                Refusal(.keyReused) { try await ann.editPost(post.id, PostEdit(text: "x"), idempotencyKey: "edit") },
                Refusal(.keyReused) { try await ann.publish(NewPost("Another"), idempotencyKey: "first") },
                Refusal("empty_post") { try await ann.publish(NewPost()) },
                Refusal("empty_post") { try await ann.editPost(post.id, PostEdit(text: "")) },
                Refusal("bad_text") { try await ann.publish(NewPost(String(repeating: "é", count: 2000))) },
                Refusal("bad_mention") {
                    try await ann.publish(NewPost("x", mentions: [Mention(personID: "bob", start: 0, length: 9)]))
                },
                Refusal(.permissionDenied) { try await phones.stranger.publish(NewPost("x")) },
                Refusal(.notAllowed) { try await bob.editPost(post.id, PostEdit(text: "x")) },
                Refusal(.notAllowed) { try await bob.deletePost(post.id) },
                Refusal(.notFound) { try await ann.post("-P6xMaZs705oZOURNBhN") },
                Refusal("bad_request") { try await ann.posts(before: "?") },
                Refusal("bad_request") { try await ann.posts(limit: 0) },
                Refusal(.notAllowed) { try await bob.homeFeed(of: "ann") },
            ])
            await #expect(throws: EncodingError.self) {
                try await ann.publish(NewPost("x", clientTime: Date(timeIntervalSince1970: .nan)))
            }
            await #expect(throws: TransportError.self) { try await ann.post("..") }
            await #expect(throws: TransportError.self) { try await ann.post("") }
        }
    }

    @Test("Likes and flags are set and removed")
    func likesAndFlags() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let post = try await ann.post(text: "Hello").id
            for isLiked in [true, true, false, true] {
                let like = try await bob.setLike(isLiked, of: post, by: "bob")
                #expect(like.value.isLiked == isLiked && like.value.likeCount == (isLiked ? 1 : 0))
                #expect(like.value.postID == post && like.value.personID == "bob" && like.changeNumber != nil)
            }
            let likes = try await ann.likes(of: post)
            #expect(likes.value.elements.map(\.person.id) == ["bob"] && likes.value.likeCount == 1)
            #expect(try await ann.posts(likedBy: "bob").value.elements.map(\.id) == [post])
            let comment = try await bob.addComment("Oh", to: post).value.id
            for isFlagged in [true, true, false] {
                let flag = FlagState(postID: post, personID: "bob", isFlagged: isFlagged)
                #expect(try await bob.setFlag(isFlagged, of: post, by: "bob").value == flag)
                let other = FlagState(postID: post, commentID: comment, personID: "ann", isFlagged: isFlagged)
                #expect(try await ann.setFlag(isFlagged, of: comment, on: post, by: "ann").value == other)
            }
            let missing: Post.ID = "-P6xMaZs705oZOURNBhN"
            await Refusal.check([
                Refusal(.notAllowed) { try await bob.setLike(true, of: post, by: "ann") },
                Refusal(.notFound) { try await bob.setLike(true, of: missing, by: "bob") },
                Refusal(.permissionDenied) { try await phones.stranger.setLike(true, of: post, by: "bob") },
                Refusal(.notAllowed) { try await bob.setFlag(true, of: post, by: "ann") },
                Refusal(.notFound) { try await bob.setFlag(true, of: "none", on: post, by: "bob") },
                Refusal(.notFound) { try await bob.likes(of: missing) },
            ])
        }
    }

    @Test("Comments are added once, listed both ways, changed and deleted")
    func comments() async throws {
        try await Phones.run { phones in
            let (ann, bob) = (phones.ann, phones.bob)
            let post = try await ann.post(text: "Hello").id
            let time = Date(timeIntervalSince1970: 1_700_000_000)
            let mention = Mention(personID: "ann", start: 3, length: 4)
            let first = try await bob.addComment(
                "😀 @Ann", mentions: [mention], to: post, clientTime: time, idempotencyKey: "c1")
            #expect(first.value.text == "😀 @Ann" && first.value.mentions == [mention] && first.changeNumber != nil)
            #expect(first.value.clientTimestamp == time && first.value.postID == post)
            let again = try await bob.addComment("😀 @Ann", mentions: [mention], to: post, idempotencyKey: "c1")
            #expect(again.value.id == first.value.id)
            let second = try await ann.addComment("Thanks", to: post)

            let page = try await bob.comments(on: post, limit: 1)
            #expect(page.value.elements.map(\.id) == [first.value.id] && page.value.hasMore)
            #expect(
                try await bob.comments(on: post, after: page.value.next).value.elements.map(\.id) == [second.value.id])
            let newest = try await bob.newestComments(on: post, limit: 1)
            #expect(newest.value.elements.map(\.id) == [second.value.id])
            let older = try await bob.newestComments(on: post, before: newest.value.next)
            #expect(older.value.elements.map(\.id) == [first.value.id])
            #expect(try await bob.comment(first.value.id, on: post).value.text == "😀 @Ann")
            let edited = try await bob.editComment(first.value.id, on: post, to: "Hi", clientTime: time)
            #expect(edited.value.text == "Hi" && edited.value.mentions.isEmpty && edited.value.clientEditedAt == time)

            let missing: Post.ID = "-P6xMaZs705oZOURNBhN"
            await Refusal.check([
                Refusal(.keyReused) { try await bob.addComment("Other", to: post, idempotencyKey: "c1") },
                Refusal("bad_text") { try await bob.addComment("", to: post) },
                Refusal("bad_mention") { try await bob.addComment("x", mentions: [mention], to: post) },
                Refusal(.notFound) { try await bob.addComment("x", to: missing) },
                Refusal(.permissionDenied) { try await phones.stranger.addComment("x", to: post) },
                Refusal(.notAllowed) { try await bob.editComment(second.value.id, on: post, to: "x") },
                Refusal(.notAllowed) { try await bob.deleteComment(second.value.id, on: post) },
                Refusal(.notFound) { try await bob.comment("none", on: post) },
                Refusal(.notFound) { try await bob.comments(on: missing) },
            ])
            #expect(try await ann.deleteComment(first.value.id, on: post).changeNumber != nil, "the post's author may")
            await Refusal.check([Refusal(.notFound) { try await ann.deleteComment(first.value.id, on: post) }])
        }
    }
}
