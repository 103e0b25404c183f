import Foundation
import Testing
import TintypeModel

@Suite("Values that are written and read again")
struct RoundTripTests {
    static let time = Date(milliseconds: 1_795_251_415_385)

    static var post: Post {
        var photo = Photo(width: 20, height: 10, renditions: ["full": Rendition(address: "/f", width: 20, height: 10)])
        (photo.color, photo.placeholder, photo.alternativeText) = ("#123456", "AAAA", "A lake")
        (photo.isBlurred, photo.warnings, photo.number) = (true, ["damaged"], 3)
        photo.renditions["full"]?.byteCount = 5_000_000_000
        var post = Post(id: "p", author: Author(id: "ann", name: "Ann"), text: "Hi", photos: [photo], timestamp: time)
        post.mentions = [Mention(personID: "bob", start: 0, length: 2)]
        post.firstPhoto = Post.FirstPhoto(full: "/f", thumbnail: "/t")
        (post.clientTimestamp, post.editedAt, post.clientEditedAt) = (time, time + 1, time + 2)
        (post.createdAt, post.updatedAt) = (time, time + 3)
        (post.audiences, post.clientReference, post.publicationNumber) = (["a", "b"], "key", 9_007_199_254_740_993)
        (post.counts, post.isLiked, post.position) = (Post.Counts(likes: 1, comments: 2), false, "7")
        post.comments = [
            TintypeModel.Comment(id: "c", postID: "p", author: Author(id: "bob"), text: "x", timestamp: time)
        ]
        post.additionalFields = ["place": ["lat": 1.5]]
        return post
    }

    @Test("A post is the same")
    func post() throws { #expect(try again(Self.post) == Self.post) }

    @Test("A page is the same")
    func page() throws {
        var page = Page([Self.post], next: "7")
        (page.isComplete, page.unreadCount, page.likeCount) = (false, 1, 2)
        #expect(try again(page) == page)
        #expect(try again(Page<Hashtag>([Hashtag("sun", postCount: 1)])) == Page([Hashtag("sun", postCount: 1)]))
        let likes = Page([Like(person: Author(id: "ann"), timestamp: Self.time)])
        #expect(try again(likes) == likes)
    }

    @Test("People, notifications, announcements, audiences and uploads are the same")
    func others() throws {
        var person = Person(id: "ann", name: "Ann", picture: "/a")
        (person.role, person.bio, person.counts) = ("speaker", "Light", Person.Counts(posts: 1))
        (person.isFollowed, person.isBlocked, person.createdAt) = (true, false, Self.time)
        #expect(try again(person) == person)
        var notification = SocialNotification(
            id: "n", kind: .other("x"), actor: person, postID: "p", timestamp: Self.time)
        (notification.actors, notification.count, notification.isUnread) = ([person], 2, true)
        (notification.commentID, notification.announcementID, notification.text) = ("c", "a", "x")
        #expect(try again(notification) == notification)
        var announcement = Announcement(id: "a", title: "t", text: "x", author: person, timestamp: Self.time)
        announcement.recipientCount = 3
        #expect(try again(announcement) == announcement)
        var audience = Audience(id: "7b", name: "7b", kind: .schoolClass, role: .owner)
        audience.members = ["ann": .owner, "bob": .other("guest")]
        #expect(try again(audience) == audience)
        var upload = Upload(id: "u", userID: "ann", state: .failed, createdAt: Self.time)
        (upload.purpose, upload.audiences, upload.postPath) = (.avatar, ["7b"], "/v1/posts/p")
        upload.failure = Upload.Failure(code: .diskFull, message: "full")
        upload.photos = [Upload.Photo(originalName: "a.jpg", byteCount: 1, sha256: "00")]
        #expect(try again(upload) == upload)
    }

    @Test("Times are whole milliseconds, rounded")
    func times() throws {
        let post = Post(id: "p", author: Author(id: "a"), timestamp: Date(timeIntervalSince1970: 1.0006))
        let fields = try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(post))
        #expect(fields["timestamp"] == .integer(1001))
        #expect(fields.object?.keys.sorted() == ["author", "kind", "post_id", "timestamp"])
    }
}
