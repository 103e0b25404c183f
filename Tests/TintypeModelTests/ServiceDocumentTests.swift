import API
import Foundation
import Testing
import TintypeModel

@Suite("People, notifications, audiences, uploads and changes of the service")
struct ServiceDocumentTests {
    @Test("Every field of a person is read, and pages of people")
    func people() throws {
        var document = PersonDocument(uid: "ann", fullName: "Ann Lée", profilePicture: "/a.jpg")
        (document.role, document.bio) = ("speaker", "Talks about light.")
        document.counts = .init(posts: 3, followers: 1, following: 2)
        (document.isFollowed, document.isBlocked) = (true, false)
        let person = try read(Person.self, document)
        #expect(person.id == "ann" && person.name == "Ann Lée" && person.picture == "/a.jpg")
        #expect(person.role == "speaker" && person.bio == "Talks about light." && person.isFollowed == true)
        #expect(person.counts == Person.Counts(posts: 3, followers: 1, following: 2) && person.isBlocked == false)
        #expect(person.additionalFields.isEmpty && person.faults.isEmpty && person.createdAt == nil)
        let page = try read(Page<Person>.self, PeoplePageDocument(people: [document], next: "YW5u"))
        #expect(page.elements == [person] && page.next == "YW5u" && page.hasMore)
        let timed = try read(Person.self, #"{"uid":"ann","created":1000,"updated":2000}"#)
        #expect(timed.createdAt == Date(milliseconds: 1000) && timed.updatedAt == Date(milliseconds: 2000))
        #expect(timed.displayName == "ann")
    }

    @Test("Hashtags are read")
    func hashtags() throws {
        let page = try read(Page<Hashtag>.self, HashtagPageDocument(hashtags: [.init("sun", posts: 12)], hasMore: true))
        #expect(page.elements == [Hashtag("sun", postCount: 12)] && page.next == "sun" && page.hasMore)
    }

    @Test(
        "Each kind of notification is read",
        arguments: [
            ("like", SocialNotification.Kind.like), ("comment", .comment), ("mention", .mention), ("follow", .follow),
            ("announcement", .announcement), ("birthday", .other("birthday")),
        ])
    func notifications(name: String, kind: SocialNotification.Kind) throws {
        let bob = PersonDocument(uid: "bob", fullName: "Bob", profilePicture: nil)
        var document = NotificationDocument(
            id: "2a", kind: name, actor: bob, post: "p", comment: "c", announcement: "a", title: "t", text: "x",
            timestamp: 1000, isUnread: true)
        (document.actors, document.count) = ([bob], 17)
        let notification = try read(SocialNotification.self, document)
        #expect(notification.id == "2a" && notification.kind == kind && notification.actor?.name == "Bob")
        #expect(notification.actors.map(\.id) == ["bob"] && notification.count == 17 && notification.isUnread)
        #expect(notification.postID == "p" && notification.commentID == "c" && notification.announcementID == "a")
        #expect(notification.title == "t" && notification.text == "x" && notification.faults.isEmpty)
        #expect(notification.timestamp == Date(milliseconds: 1000) && notification.additionalFields.isEmpty)
        let page = try read(
            Page<SocialNotification>.self,
            NotificationPageDocument(notifications: [document], hasMore: true, next: "2a", unread: 3))
        #expect(page.elements == [notification] && page.unreadCount == 3 && page.next == "2a")
    }

    @Test("Announcements are read")
    func announcements() throws {
        let admin = PersonDocument(uid: "ann", fullName: "Ann", profilePicture: nil)
        let document = AnnouncementDocument(
            id: "a", title: "Tonight", text: "Dinner", author: admin, timestamp: 1000, recipients: 2)
        let announcement = try read(Announcement.self, document)
        #expect(announcement.id == "a" && announcement.title == "Tonight" && announcement.text == "Dinner")
        #expect(announcement.author?.id == "ann" && announcement.recipientCount == 2)
        #expect(announcement.timestamp == Date(milliseconds: 1000) && announcement.faults.isEmpty)
        let page = try read(
            Page<Announcement>.self,
            AnnouncementPageDocument(announcements: [document], hasMore: false, next: nil))
        #expect(page.elements == [announcement] && !page.hasMore)
    }

    @Test(
        "Each kind of audience is read, with its members and their roles",
        arguments: [
            ("class", Audience.Kind.schoolClass), ("school", .school), ("student", .student), ("group", .group),
            ("club", .other("club")),
        ])
    func audiences(name: String, kind: Audience.Kind) throws {
        var document = AudienceDocument(id: "7b", name: "Class 7b", kind: name)
        document.role = "poster"
        document.members = ["ann": "owner", "bob": "poster", "cat": "reader", "dan": "guest"]
        let audience = try read(Audience.self, document)
        #expect(audience.id == "7b" && audience.name == "Class 7b" && audience.kind == kind)
        #expect(audience.role == .poster && audience.role?.canPost == true && audience.faults.isEmpty)
        #expect(audience.members == ["ann": .owner, "bob": .poster, "cat": .reader, "dan": .other("guest")])
        document.members = nil
        let page = try read(Page<Audience>.self, AudiencePageDocument(audiences: [document], next: nil))
        #expect(page.elements.first?.id == "7b" && page.elements.first?.members == nil)
    }

    @Test("Each state, purpose and way in of an upload is read", arguments: UploadState.allCases)
    func uploadStates(state: UploadState) throws {
        for purpose in UploadPurpose.allCases {
            var document = UploadDocument(
                uploadID: "u", user: "ann", door: .inbox, state: state, createdAt: 1000, updatedAt: 2000, attempts: 3)
            document.purpose = purpose
            let upload = try read(Upload.self, document)
            #expect(upload.state.rawValue == state.rawValue && upload.purpose.rawValue == purpose.rawValue)
            #expect(upload.state.isFinal == state.isTerminal && upload.intake == "inbox")
            if case .other = upload.state { Issue.record("\(state) is not known") }
            if case .other = upload.purpose { Issue.record("\(purpose) is not known") }
        }
    }

    @Test("Every field of an upload is read")
    func upload() throws {
        var document = UploadDocument(
            uploadID: "u", user: "ann", door: .socket, state: .failed, createdAt: 1000, updatedAt: 2000, attempts: 3)
        (document.receivedBytes, document.expectedBytes) = (5_000_000_000, 6_000_000_000)
        (document.text, document.clientReference, document.audiences) = ("Later", "key", ["7b"])
        (document.post, document.draft, document.number) = ("/v1/posts/-P6x", "d", 2)
        document.error = Failure(.truncated, "the photo is incomplete", hint: "Send it again.")
        var photo = UploadDocument.Photo(originalName: "lake.jpg", bytes: 84155, sha256: "ecc9")
        (photo.number, photo.alt, photo.width, photo.height) = (1, "A lake", 20, 10)
        (photo.color, photo.placeholder, photo.warnings) = ("#848775", "z8g=", ["damaged"])
        photo.renditions = [
            "thumb": .init(
                url: "/t.jpg", storageURI: "blobs/t.jpg", contentType: "image/jpeg", bytes: 9, width: 2, height: 1)
        ]
        document.photos = [photo]
        let upload = try read(Upload.self, document)
        #expect(upload.id == "u" && upload.userID == "ann" && upload.attempts == 3 && upload.purpose == .post)
        #expect(upload.createdAt == Date(milliseconds: 1000) && upload.updatedAt == Date(milliseconds: 2000))
        #expect(upload.receivedByteCount == 5_000_000_000 && upload.expectedByteCount == 6_000_000_000)
        #expect(upload.text == "Later" && upload.clientReference == "key" && upload.audiences == ["7b"])
        #expect(upload.postID == "-P6x" && upload.draftID == "d" && upload.number == 2)
        #expect(
            upload.failure
                == Upload.Failure(code: "truncated", message: "the photo is incomplete", hint: "Send it again."))
        #expect(upload.additionalFields.isEmpty && upload.faults.isEmpty)
        let read = try #require(upload.photos.first)
        #expect(read.originalName == "lake.jpg" && read.byteCount == 84155 && read.sha256 == "ecc9")
        #expect(read.number == 1 && read.alternativeText == "A lake" && read.width == 20 && read.height == 10)
        #expect(read.color == "#848775" && read.placeholder == "z8g=" && read.warnings == ["damaged"])
        #expect(read.renditions?["thumb"]?.byteCount == 9)
    }

    @Test("The changes for a device are read, with every part")
    func changes() throws {
        var document = SyncDocument(next: "1051.f.1700", more: true)
        var feed = SyncDocument.Posts()
        feed.posts = [PostDocument(ServicePostTests.post)]
        (feed.reset, feed.removed, feed.left, feed.next) = (true, ["-P6y"], ["jan"], "1000")
        feed.complete = false
        document.feed = feed
        document.stories = SyncDocument.Posts()
        document.posts = SyncDocument.Posts()
        document.posts?.removed = ["-P6w"]
        document.counts = [.init(postID: "-P6z", likes: 7, comments: nil, liked: false)]
        var notifications = SyncDocument.Notifications(unread: 3)
        notifications.notifications = [NotificationDocument(id: "2a", kind: "follow", timestamp: 1000, isUnread: true)]
        notifications.removed = ["2b"]
        document.notifications = notifications
        var audiences = SyncDocument.Audiences()
        audiences.audiences = [AudienceDocument(id: "7b", name: "7b", kind: "class")]
        audiences.removed = ["8a"]
        document.audiences = audiences
        var uploads = SyncDocument.Uploads()
        uploads.uploads = [
            UploadDocument(
                uploadID: "u", user: "ann", door: .socket, state: .draft, createdAt: 1, updatedAt: 2, attempts: 0)
        ]
        document.uploads = uploads
        let changes = try read(SyncChanges.self, document)
        #expect(changes.next == "1051.f.1700" && changes.changeNumber == 1051 && changes.hasMore && !changes.isEmpty)
        let posts = try #require(changes.feed)
        #expect(posts.isReset && posts.elements.map(\.id) == ["-P6x"] && posts.removedIDs == ["-P6y"])
        #expect(posts.leftAuthorIDs == ["jan"] && posts.next == "1000" && !posts.isComplete && posts.faults.isEmpty)
        #expect(changes.stories == SyncChanges.Part<Post>() && changes.posts?.removedIDs == ["-P6w"])
        #expect(
            changes.counts == [SyncChanges.Counts(postID: "-P6z", likes: 7, comments: nil, isLiked: false)])
        #expect(changes.notifications?.elements.map(\.id) == ["2a"] && changes.notifications?.unreadCount == 3)
        #expect(changes.notifications?.removedIDs == ["2b"] && changes.audiences?.elements.map(\.id) == ["7b"])
        #expect(changes.audiences?.removedIDs == ["8a"] && changes.uploads?.elements.map(\.id) == ["u"])
        #expect(try again(changes) == changes)
        let none = try read(SyncChanges.self, SyncDocument(next: "1051", more: false))
        #expect(none.isEmpty && !none.hasMore && none.changeNumber == 1051)
    }

    @Test("A problem is read, with each code of the service", arguments: ErrorCode.allCases)
    func problems(code: ErrorCode) throws {
        let failure = Failure(code, "it is too large", hint: "Send less.")
        let document = ProblemDocument(status: 413, title: "Content Too Large", failure: failure, trace: "fc14")
        let problem = Problem(status: 413, body: Data(document.json()), retryAfter: "7")
        #expect(problem.code.rawValue == code.rawValue && problem.status == 413 && problem.trace == "fc14")
        #expect(problem.message == "it is too large" && problem.hint == "Send less.")
        #expect(problem.retryAfter == .seconds(7) && problem.quota == nil && problem.expectedOffset == nil)
    }

    @Test("A problem has the sizes of a quota, and the offset of an upload")
    func problemSizes() throws {
        var failure = Failure(.quotaExceeded, "full")
        failure.room = .init(used: 10, quota: Quota(12, for: .everybody), needed: 5)
        let full = ProblemDocument(status: 507, title: "Insufficient Storage", failure: failure, trace: "")
        #expect(
            Problem(status: 507, body: Data(full.json())).quota == Problem.Quota(used: 10, limit: 12, needed: 5))
        let offset = ProblemDocument(
            status: 409, title: "Conflict", failure: Failure(.wrongOffset, "elsewhere"), trace: "",
            kind: .mismatchingUploadOffset(expected: 1_048_576, provided: 0))
        #expect(Problem(status: 409, body: Data(offset.json())).expectedOffset == 1_048_576)
    }
}
