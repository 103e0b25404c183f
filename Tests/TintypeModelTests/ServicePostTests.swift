import API
import Foundation
import Testing
import TintypeModel
import TreeModel

@Suite("Posts and comments of the service")
struct ServicePostTests {
    static let author: TreeValue = ["uid": "ann", "full_name": "Ann Lée", "profile_picture": "/media/ann/a/b.jpg"]
    static let rendition: TreeValue = [
        "url": "/media/ann/p/thumb-1.jpg", "storage_uri": "blobs/ann/p/thumb-1.jpg", "width": 320, "height": 181,
        "bytes": 9000, "content_type": "image/jpeg",
    ]
    static let photo: TreeValue = [
        "width": 2688, "height": 1520, "color": "#848775", "placeholder": "z8gFHIIlPISfdofkCngzliBgKQ==",
        "alt": "A lake", "blurred": true, "warnings": ["0": "damaged"], "number": 1, "renditions": ["thumb": rendition],
    ]
    static let mention: TreeValue = [
        "uid": "bob", "start": 6, "length": 4, "character_start": 6, "character_length": 4,
    ]
    static let comment: TreeValue = [
        "comment_id": "c1", "author": author, "text": "Nice", "timestamp": 1_795_251_415_386,
    ]
    static let post: TreeValue = [
        "post_id": "-P6x", "kind": "photo_text", "text": "Hello @bob", "timestamp": 1_795_251_415_385,
        "published": 1042, "author": author, "client_ref": "key", "photos": ["0": photo], "mentions": ["0": mention],
        "full_url": "/media/ann/p/full.jpg", "thumb_url": "/media/ann/p/thumb.jpg",
        "full_storage_uri": "blobs/ann/p/full.jpg", "thumb_storage_uri": "blobs/ann/p/thumb.jpg",
        "counts": ["likes": 7, "comments": 1], "liked": true, "comments": ["0": comment], "position": "1042",
        "audiences": ["school": true, "class-7b": true], "created": 1_795_251_415_385, "updated": 1_795_251_415_390,
        "edited": 1_795_251_415_389, "client_timestamp": 1_795_251_415_000, "client_edited": 1_795_251_415_388,
        "client": "ios",
    ]

    @Test("Every field of a post is read")
    func post() throws {
        let post = try read(Post.self, PostDocument(Self.post))
        #expect(post.faults.isEmpty && post.id == "-P6x" && post.kind == .photoText && post.text == "Hello @bob")
        #expect(post.author == Author(id: "ann", name: "Ann Lée", picture: "/media/ann/a/b.jpg"))
        #expect(post.timestamp == Date(milliseconds: 1_795_251_415_385) && post.publicationNumber == 1042)
        #expect(post.clientTimestamp == Date(milliseconds: 1_795_251_415_000))
        #expect(post.editedAt == Date(milliseconds: 1_795_251_415_389))
        #expect(post.clientEditedAt == Date(milliseconds: 1_795_251_415_388))
        #expect(post.createdAt == post.timestamp && post.updatedAt == Date(milliseconds: 1_795_251_415_390))
        #expect(post.mentions == [Mention(personID: "bob", start: 6, length: 4)])
        #expect(post.firstPhoto.full == "/media/ann/p/full.jpg")
        #expect(post.firstPhoto.thumbnail == "/media/ann/p/thumb.jpg")
        #expect(post.firstPhoto.fullStorageURI == "blobs/ann/p/full.jpg")
        #expect(post.firstPhoto.thumbnailStorageURI == "blobs/ann/p/thumb.jpg")
        #expect(post.counts == Post.Counts(likes: 7, comments: 1) && post.isLiked == true && post.position == "1042")
        #expect(post.audiences == ["class-7b", "school"] && post.clientReference == "key")
        #expect(post.additionalFields == ["client": "ios"])
        let comment = try #require(post.comments.first)
        #expect(comment.id == "c1" && comment.postID == post.id && comment.author == post.author)
        #expect(comment.text == "Nice" && comment.timestamp == Date(milliseconds: 1_795_251_415_386))
    }

    @Test("Every field of a photo and its renditions is read")
    func photo() throws {
        let photo = try #require(try read(Post.self, PostDocument(Self.post)).photos.first)
        #expect(photo.width == 2688 && photo.height == 1520 && photo.color == "#848775" && photo.isBlurred)
        #expect(photo.thumbHash?.count == 19 && photo.alternativeText == "A lake" && photo.number == 1)
        #expect(photo.warnings == ["damaged"] && photo.faults.isEmpty && photo.additionalFields.isEmpty)
        let rendition = try #require(photo.renditions["thumb"])
        #expect(rendition.address == "/media/ann/p/thumb-1.jpg" && rendition.width == 320 && rendition.height == 181)
        #expect(rendition.byteCount == 9000 && rendition.contentType == "image/jpeg")
        #expect(rendition.storageURI == "blobs/ann/p/thumb-1.jpg")
    }

    @Test("A page has its posts, its cursor, and what the service has left out")
    func page() throws {
        var document = PostPageDocument()
        document.posts = [PostDocument(Self.post)]
        (document.hasMore, document.next, document.complete) = (true, "1042", false)
        document.skipped = [.init(path: "posts/x", reason: "its timestamp is missing")]
        let page = try read(Page<Post>.self, document)
        #expect(page.elements.map(\.id) == ["-P6x"] && page.hasMore && page.next == "1042" && !page.isComplete)
        #expect(page.faults == [DecodingFault(id: "x", path: "posts/x", reason: "its timestamp is missing")])
        let last = try read(Page<Post>.self, PostPageDocument())
        #expect(last.elements.isEmpty && !last.hasMore && last.next == nil && last.isComplete && last.faults.isEmpty)
    }

    @Test("Events of posts have the post, or name the one that is gone")
    func events() throws {
        let there = try read(
            PostEvent.self, PostEventDocument(path: "/-P6x", data: PostDocument(Self.post), position: "1042"))
        #expect(there.postID == "-P6x" && there.post?.id == "-P6x" && there.position == "1042")
        let gone = try read(PostEvent.self, PostEventDocument(path: "/-P6x", data: nil, position: nil))
        #expect(gone.postID == "-P6x" && gone.post == nil && gone.position == nil)
        for path in ["", "/", "/a/b"] {
            #expect(throws: DecodingError.self, "\(path)") {
                try read(PostEvent.self, PostEventDocument(path: path, data: nil, position: nil))
            }
        }
        #expect(throws: DecodingError.self) {
            try read(PostEvent.self, PostEventDocument(path: "/x", data: PostDocument(["text": "x"]), position: nil))
        }
    }

    @Test("Comments and their pages are read")
    func comments() throws {
        let document = try CommentDocument(
            json: Data(
                """
                {"post_id":"p","comment_id":"c","author":{"uid":"bob"},"text":"Hi @ann","timestamp":1000,"edited":2000,
                 "mentions":[{"uid":"ann","start":3,"length":4,"character_start":3,"character_length":4}]}
                """.utf8))
        let comment = try read(TintypeModel.Comment.self, document)
        #expect(comment.id == "c" && comment.postID == "p" && comment.author == Author(id: "bob"))
        #expect(comment.author.displayName == "bob" && comment.text == "Hi @ann" && comment.faults.isEmpty)
        #expect(comment.timestamp == Date(milliseconds: 1000) && comment.editedAt == Date(milliseconds: 2000))
        #expect(comment.mentions == [Mention(personID: "ann", start: 3, length: 4)])
        #expect(comment.additionalFields.isEmpty)
        let page = try read(
            Page<TintypeModel.Comment>.self,
            CommentPageDocument(
                comments: [document], next: "c", skipped: [.init(path: "comments/p/x", reason: "it has no text")]))
        #expect(page.elements == [comment] && page.next == "c" && page.faults.map(\.id) == ["x"])
    }

    @Test("The people who like a post are read, with those whose name is hidden")
    func likes() throws {
        let document = LikePageDocument(
            people: [
                .init(uid: "ann", fullName: "Ann", profilePicture: "/a.jpg", timestamp: 1000),
                .init(uid: "bob", fullName: nil, profilePicture: nil, timestamp: nil),
            ], likes: 12, next: "bob")
        let page = try read(Page<Like>.self, document)
        let ann = Like(person: Author(id: "ann", name: "Ann", picture: "/a.jpg"), timestamp: Date(milliseconds: 1000))
        #expect(page.elements == [ann, Like(person: Author(id: "bob"))])
        #expect(page.likeCount == 12 && page.next == "bob" && page.faults.isEmpty)
    }

    @Test("The answer to an upload is its post, or its state")
    func outcomes() throws {
        // The post in this document has no id of its own.
        var fields = Self.post.object ?? [:]
        fields["post_id"] = nil
        let published = PublishedDocument(postID: "-P6x", post: PostDocument(.object(fields)))
        guard case .published(let post) = try read(UploadOutcome.self, published) else {
            Issue.record("this is no post")
            return
        }
        #expect(post.id == "-P6x" && post.photos.count == 1)
        let upload = UploadDocument(
            uploadID: "u", user: "ann", door: .socket, state: .draft, createdAt: 1000, updatedAt: 2000, attempts: 0)
        #expect(try read(UploadOutcome.self, upload) == .accepted(try read(Upload.self, upload)))
        #expect(throws: DecodingError.self) { try read(UploadOutcome.self, #"{"post_id":"x"}"#) }
        #expect(throws: DecodingError.self) { try read(UploadOutcome.self, "{}") }
    }
}
