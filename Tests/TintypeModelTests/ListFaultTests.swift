import Foundation
import Testing
import TintypeModel

@Suite("Lists with elements that cannot be read")
struct ListFaultTests {
    static let post = #"{"post_id":"p","author":{"uid":"a"},"timestamp":1}"#

    @Test("One bad element leaves the others, and the fault has its position, its id and the place")
    func page() throws {
        let page: Page<Post> = try read(
            """
            {"posts":[\(Self.post),{"post_id":"q","author":{"uid":7},"timestamp":1},"x",
                      {"post_id":"r","author":{"uid":"a"},"timestamp":2}],"has_more":true,"next":"c"}
            """)
        #expect(page.elements.map(\.id) == ["p", "r"] && page.next == "c")
        #expect(page.faults.map(\.index) == [1, 2] && page.faults.map(\.id) == ["q", nil])
        #expect(page.faults.map(\.path) == ["posts[1].author.uid", "posts[2]"])
        #expect(page.faults.first?.description.hasPrefix("posts[1].author.uid (q): ") == true)
    }

    @Test("A list in an element has faults of its own")
    func nested() throws {
        let page: Page<Post> = try read(
            """
            {"posts":[{"post_id":"p","author":{"uid":"a"},"timestamp":1,"photos":[{"width":1,"height":1},{"width":1}],
                       "mentions":[{"uid":"b","start":0,"length":1},{"uid":"b"}],
                       "comments":[{"comment_id":"c"},
                                   {"comment_id":"d","author":{"uid":"b"},"text":"x","timestamp":1}]}]}
            """)
        let post = try #require(page.elements.first)
        #expect(page.faults.isEmpty)
        #expect(post.photos.count == 1 && post.mentions.count == 1 && post.comments.map(\.id) == ["d"])
        #expect(
            post.faults.map(\.path)
                == ["posts[0].mentions[1].start", "posts[0].photos[1].height", "posts[0].comments[0].author"])
        #expect(post.faults.map(\.id) == [nil, nil, "c"] && post.faults.map(\.index) == [1, 1, 0])
    }

    @Test(
        "A page without its list is an error",
        arguments: ["{}", #"{"posts":null}"#, #"{"posts":{}}"#, #"{"posts":7}"#, #"{"people":[]}"#, "[]"])
    func noList(json: String) {
        #expect(throws: DecodingError.self) { try read(Page<Post>.self, json) }
    }

    @Test("A part of the changes with a bad element keeps the others, and a bad part keeps the other parts")
    func changes() throws {
        let changes: SyncChanges = try read(
            """
            {"next":"7","more":false,"feed":{"posts":[{"post_id":"q"},\(Self.post)],"removed":["r","",7]},
             "counts":[{"likes":1},{"post_id":"p","likes":"x"},{"post_id":"q","likes":2}],"audiences":[],
             "notifications":{"notifications":[{"id":"n","kind":"like"}],"unread":1}}
            """)
        #expect(changes.feed?.elements.map(\.id) == ["p"] && changes.feed?.removedIDs == ["r"])
        #expect(changes.feed?.faults.map(\.path) == ["feed.posts[0].author", "feed.removed[1]", "feed.removed[2]"])
        #expect(changes.counts.map(\.postID) == ["p", "q"] && changes.counts.first?.likes == nil)
        #expect(changes.audiences == nil)
        #expect(changes.faults.map(\.path) == ["counts[0].post_id", "audiences"])
        #expect(changes.notifications?.unreadCount == 1)
        #expect(changes.notifications?.faults.map(\.path) == ["notifications.notifications[0].timestamp"])
        #expect(!changes.isEmpty)
        #expect(throws: DecodingError.self) { try read(SyncChanges.self, #"{"more":false}"#) }
    }

    @Test("People of a notification and members of an audience are left out one by one")
    func others() throws {
        let notification: SocialNotification = try read(
            #"{"id":"n","kind":"like","timestamp":1,"actor":7,"actors":[{"uid":"a"},{}]}"#)
        #expect(notification.actor == nil && notification.actors.map(\.id) == ["a"])
        #expect(notification.faults.map(\.path) == ["actor", "actors[1].uid"])
        let audience: Audience = try read(#"{"id":"a","name":"A","kind":"group","members":{"a":"owner","b":7}}"#)
        #expect(audience.members == ["a": .owner] && audience.faults.map(\.path) == ["members.b"])
        let upload: Upload = try read(
            #"{"upload_id":"u","user":"a","state":"draft","created_at":1,"updated_at":2,"photos":[{}]}"#)
        #expect(upload.photos.isEmpty && upload.faults.map(\.path) == ["photos[0].original_name"])
    }
}
