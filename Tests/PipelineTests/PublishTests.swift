import API
import Files
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("The way from bytes to a post")
struct PublishTests {
    @Test(
        "P8, P10, P11, B14, B25, C6: the post, people/ and feed/ entries are one update; the post has all clients need"
    )
    func onePhoto() async throws {
        try await withPipeline { running in
            let before = try await running.storage.tree.snapshot { try $0.token }
            let record = try await running.upload(
                [("At the lake.jpg", try Fixture.bytes("baseline-420.jpg"))], by: "maria", text: " At the lake #Summer "
            )
            #expect(record.state == .published)
            let post = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
            #expect(post["text"]?.stringValue == "At the lake #Summer")
            #expect(post["kind"]?.stringValue == "photo_text")
            #expect(post["author"] == ["uid": "maria", "full_name": "maria"])
            #expect(post["photos"]?["0"]?["width"]?.integerValue ?? 0 > 0)
            #expect(post["photos"]?["0"]?["placeholder"]?.stringValue?.isEmpty == false)
            for field in ["full", "thumb"] {
                let url = try #require(post[try TreeKey("\(field)_url")]?.stringValue)
                let uri = try #require(post[try TreeKey("\(field)_storage_uri")]?.stringValue)
                #expect(url.hasPrefix("/media/maria/\(record.id)/\(field)-"))
                #expect(running.scratch.exists("Storage/\(uri)"))
            }
            let commits = try await running.storage.tree.changes(since: before, limit: 100).filter { change in
                change.writes.contains { $0.path == PostNodes.post(record.id) }
            }
            let paths = Set(try #require(commits.first).writes.map(\.path))
            #expect(commits.count == 1)
            #expect(
                paths.isSuperset(of: [
                    PostNodes.post(record.id), PeopleNodes.ownPost(record.owner) / record.id.key,
                    FeedNodes.entry(record.owner) / record.id.key, "hashtags/summer" / record.id.key,
                    "people/maria/full_name", UploadNodes.upload(record.id),
                ]), "B25: what belongs together is committed together")
        }
    }

    @Test("C2: text only, photo only, photo and text, several photos; never an empty post")
    func kinds() async throws {
        try await withPipeline { running in
            let photo = (name: "a.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            let table: [(photos: Int, text: String, kind: String)] = [
                (0, "Hello", "text"), (1, "", "photo"), (1, "Hello", "photo_text"), (3, "Three", "photo_text"),
            ]
            for row in table {
                let record = try await running.upload(
                    Array(repeating: photo, count: row.photos), by: "u", text: row.text)
                let post = try #require(try await running.storage.tree.get(PostNodes.post(record.id)))
                #expect(post["kind"]?.stringValue == row.kind)
                #expect(post["photos"]?.object?.count ?? 0 == row.photos)
            }
            await #expect(throws: Failure.self) { try await running.upload([], by: "u", text: "  ") }
        }
    }

    @Test("P6, FriendlyPix 13: blobs are stored at user_id/post_id/file_name, under names of the server's")
    func blobNames() async throws {
        try await withPipeline { running in
            let photo = try Fixture.bytes("baseline-420.jpg")
            let record = try await running.upload(
                [("../../etc/passwd\n.jpg", photo), ("b", photo)], by: "maria")
            let names = try await running.storage.blobs.fileNames(userID: "maria", postID: record.id.description)
            #expect(names.contains("original.jpg") && names.contains("original-2.jpg"))
            #expect(names.filter { $0.hasPrefix("thumb") }.count == 2)
            #expect(record.photos[0]?.originalName == "../../etc/passwd\n.jpg", "kept as data")
        }
    }

    @Test("P3, P9: the post has the author of people/ at that moment; names are found by either end")
    func authorCopy() async throws {
        try await withPipeline { running in
            let uid = try #require(UserID("ana"))
            var update = MultiPathUpdate()
            Person(uid: uid, fullName: "Ána Prüfer", profilePicture: "/p.jpg").write(to: &update)
            try await running.storage.tree.update(update)
            let record = try await running.upload([], by: "ana", text: "hi")
            let author = try await running.storage.tree.get(PostNodes.post(record.id) / "author")
            #expect(author == ["uid": "ana", "full_name": "Ána Prüfer", "profile_picture": "/p.jpg"])
            let index = try await running.storage.tree.get(PeopleNodes.person(uid) / "_search_index")
            #expect(index == ["full_name": "ana prufer", "reversed_full_name": "prufer ana"])
        }
    }

    @Test(
        "P3: the author's next post is published, whatever clients have written into people/",
        arguments: [
            (["profile_picture": "/p.jpg"], ["uid": "ana", "full_name": "ana", "profile_picture": "/p.jpg"]),
            (["full_name": "Ana", "profile_picture": 5], ["uid": "ana", "full_name": "Ana"]),
            (["full_name": true, "profile_picture": ["x": 1]], ["uid": "ana", "full_name": "ana"]),
            ("ana", ["uid": "ana", "full_name": "ana"]),
        ] as [(TreeValue, TreeValue)])
    func oddAuthor(person: TreeValue, author: TreeValue) async throws {
        try await withPipeline { running in
            let uid = try #require(UserID("ana"))
            try await running.storage.tree.set(PeopleNodes.person(uid), to: person)
            let record = try await running.upload([], by: "ana", text: "hi")
            #expect(try await running.storage.tree.get(PostNodes.post(record.id) / "author") == author)
            #expect(try await running.storage.tree.get(PeopleNodes.person(uid) / "full_name") == author["full_name"])
        }
    }

    @Test("B27, B28: timestamps are the server's integers, and the order of ids is the order of posts")
    func timestamps() async throws {
        try await withPipeline { running in
            let start = WallClock.now()
            var ids: [String] = []
            for number in 0..<5 {
                let record = try await running.upload([], by: "u", text: "\(number)")
                let post = try await running.storage.tree.get(PostNodes.post(record.id))
                let timestamp = try #require(post?["timestamp"]?.timestampValue)
                #expect((start...WallClock.now()).contains(timestamp))
                ids.append(record.id.description)
            }
            #expect(try await running.storage.tree.keys(of: PostNodes.post()).map(\.description) == ids)
            #expect(ids == ids.sorted())
        }
    }

    @Test("P4: the format is detected from the bytes, never from the name")
    func sniffing() async throws {
        try await withPipeline { running in
            let record = try await running.upload([("really-a.jpg", try Fixture.bytes("rgb-8.png"))], by: "u")
            #expect(record.photos[0]?.fileName == "original.png")
        }
    }
}
