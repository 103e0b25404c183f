import API
import Files
import Foundation
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@testable import Inbox

@Suite("The documents of other programs about a photo, and their files beside it", .timeLimit(.minutes(20)))
struct SidecarTests {
    private static let photo = "baseline-420.jpg"

    /// A document, and the text that is read from it; nil when it is refused.
    static let fieldCases: [(String, String?)] = [
        (#"{"text": "a"}"#, "a"), (#"{"caption": "b"}"#, "b"), (#"{"description": "c"}"#, "c"),
        (#"{"description": "c", "caption": "b", "text": "a"}"#, "a"), (#"{"text": "", "caption": "b"}"#, "b"),
        (#"{"text": null, "caption": "b"}"#, "b"), (#"{"caption": "b", "tags": ["x"]}"#, "b"), ("{}", ""),
        (#"{"title": "IMG.jpg", "description": "", "photoTakenTime": {}}"#, ""), (#"{"photoTakenTime": {}}"#, ""),
        (#"{"captoin": "b"}"#, nil), (#"{"tags": ["x"]}"#, nil), (#"{"caption": ["b"]}"#, nil), ("[]", nil), ("", nil),
        (#"{"alt": "A jetty"}"#, ""), (#"{"alt": null, "text": "a"}"#, "a"), (#"{"text": "a", "alt": 5}"#, nil),
        (#"{"text": "a", "alt": {"lake.jpg": "A jetty"}}"#, nil), (#"{"text": "a", "alt": ["b", 5]}"#, nil),
    ]

    @Test(
        "Fields with a text are read; a document without one is refused by name, and its photo with it",
        arguments: fieldCases)
    func fields(document: String, text: String?) throws {
        let sidecar = try? JSONDecoder().decode(Sidecar.self, from: Data(document.utf8))
        let read = Result { try Sidecar.read(Array(document.utf8), named: "lake.jpg.json") }
        switch read {
        case .success(let actual): #expect(actual.text == text)
        case .failure(let error):
            let error = try #require(error as? Failure)
            #expect(text == nil && error.code == .badSidecar && error.message.contains("lake.jpg.json"))
            if let first = sidecar?.fields.first { #expect(error.message.contains("\"\(first)\"")) }
        }
    }

    /// Names of documents, with those of their photos.
    static let nameCases = [
        ("a.jpg.json", "a.jpg"), ("a.jpg.supplemental-metadata.json", "a.jpg"), ("a.jpg.suppl.json", "a.jpg"),
        ("a.jpg.s.json", "a.jpg"), ("a.jpg..json", "a.jpg"), ("a(2).jpg.json", "a(2).jpg"),
        ("a.jpg.supplemental-metadata(2).json", "a(2).jpg"), ("a.jpg(2).json", "a(2).jpg"),
        ("Screenshot_20220606-192830.png.supplemental-me.json", "Screenshot_20220606-192830.png"),
    ]

    @Test("Names of documents, also Google Takeout's, lead to their photos", arguments: nameCases)
    func name(document: String, photo: String) {
        #expect(SidecarNames.documents(of: photo).contains(document))
        #expect(SidecarNames.photos(of: document).contains(photo))
    }

    @Test(
        "Other names are not documents",
        arguments: ["a.jpg.meta.json", "a.jpg.supplemental-metadatas.json", "post.json", ".json", "supplemental.json"])
    func noName(document: String) {
        #expect(!SidecarNames.photos(of: document).contains("a.jpg"))
        #expect(!SidecarNames.documents(of: "a.jpg").contains(document))
    }

    static let xmpDocuments: [(String, String)] = [
        (
            "<dc:description><rdf:Alt><rdf:li xml:lang=\"x-default\">At the lake</rdf:li></rdf:Alt></dc:description>",
            "At the lake"
        ),
        (
            "<dc:description><rdf:Alt><rdf:li xml:lang='fr'>Lac</rdf:li><rdf:li xml:lang='x-default'>See</rdf:li></rdf:Alt>"
                + "</dc:description>", "See"
        ),
        ("<dc:description>\n plain &amp; &#x1F600;&#33; </dc:description>", "plain & 😀!"),
        ("<rdf:Description dc:description=\"an &quot;attribute&quot;\"/>", "an \"attribute\""),
        ("<dc:description><rdf:Alt/></dc:description>", ""), ("<dc:description/>", ""), ("<dc:description>", ""),
        ("<!ENTITY a 'b'><dc:description>&a;</dc:description>", ""), ("", ""), ("\u{FEFF}<x/>", ""),
        ("<dc:description><rdf:li", ""), ("<dc:description dc:description=\"", ""),
        ("<dc:description>&#xFFFFFFFF;</dc:description>", ""),
    ]

    @Test("The description of an XMP document is read", arguments: xmpDocuments)
    func xmp(document: String, text: String) { #expect(XMPText.description(in: Data(document.utf8)) == text) }

    @Test("XMP that is cut or changed at any byte yields a text or none, and no crash")
    func brokenXMP() {
        for (document, _) in Self.xmpDocuments {
            let bytes = Array(document.utf8)
            for index in bytes.indices {
                _ = XMPText.description(in: Data(bytes[..<index]))
                for value: UInt8 in [0, 0x3C, 0x3E, 0x26, 0x3B, 0xFF] {
                    var changed = bytes
                    changed[index] = value
                    _ = XMPText.description(in: Data(changed))
                }
            }
        }
    }

    @Test(
        "A photo's text is read from the documents beside it, whichever program wrote them",
        arguments: [
            ("a.jpg.json", #"{"caption": "the text"}"#),
            ("a.jpg.supplemental-metada.json", #"{"description": "the text"}"#),
            ("a.xmp", "<dc:description>the text</dc:description>"), ("a.jpg.XMP", "<x dc:description=\"the text\"/>"),
        ])
    func beside(name: String, document: String) async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            try running.scratch.write(document, to: "Storage/inbox/maria/\(name)")
            try running.drop(Self.photo, as: "maria/a.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            #expect(try await running.posts().first?["text"] == "the text")
            let isJSON = name.hasSuffix(".json")
            try await eventually { running.scratch.exists("Storage/done/maria/a.jpg.json") == isJSON }
            #expect(running.scratch.exists("Storage/inbox/maria/\(name)") == !isJSON, "XMP stays")
        }
    }

    @Test("Alternative texts are read: of a photo, and of a folder's photos in the order of their names")
    func alts() async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            try running.scratch.write(#"{"text": "One", "alt": " A jetty "}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.drop(Self.photo, as: "maria/a.jpg")
            // From here on the folder is watched: the kernel reports files that are moved in.
            let one = try await running.document("done/maria/a.jpg.receipt.json")
            try running.scratch.write(#"{"alt": ["", "The lake"]}"#, to: "trip.post/post.json")
            for name in ["3.jpg", "1.jpg", "2.jpg"] {
                try running.scratch.write(try Fixture.bytes(Self.photo), to: "trip.post/\(name)")
            }
            try FileManager.default.moveItem(
                atPath: running.scratch.path + "/trip.post", toPath: running.storage.path + "/inbox/maria/trip.post")
            let trip = try await running.document("done/maria/trip.post.receipt.json")
            #expect(try await altTexts(of: one, running) == ["A jetty"])
            #expect(try await altTexts(of: trip, running) == [nil, "The lake", nil])
        }
    }

    @Test(
        "An alternative text that would be lost, or is malformed, moves its photo to failed/, both whole",
        arguments: [
            (#"["a", "b"]"#, "bad_sidecar", "2 alternative texts"), ("7", "bad_sidecar", "alt"),
            ("\"" + String(repeating: "x", count: 1001) + "\"", "bad_text", "1000"),
        ])
    func refusedAlts(alt: String, code: String, word: String) async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            try running.scratch.write(#"{"text": "kept", "alt": \#(alt)}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.drop(Self.photo, as: "maria/a.jpg")
            let reason = try await running.document("failed/\(code)/maria/a.jpg.reason.json")
            #expect(reason["message"]?.contains(word) == true, "\(reason)")
            try await eventually { running.scratch.exists("Storage/failed/\(code)/maria/a.jpg.json") }
            #expect(try await running.posts().isEmpty)
        }
    }

    @Test("A late alternative text is added to a photo that has none, and to no other")
    func lateAlt() async throws {
        try await withInbox { running in
            try running.drop(Self.photo, as: "maria/a.jpg")
            let receipt = try await running.document("done/maria/a.jpg.receipt.json")
            try running.scratch.write(#"{"alt": "A jetty"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try await eventually { running.scratch.exists("Storage/done/maria/a.jpg.json") }
            #expect(try await altTexts(of: receipt, running) == ["A jetty"])
            #expect(try await running.posts().first?["kind"] == "photo", "the post has no text")

            // The same alternative text with a new text; then another one, which is refused together with its text.
            try running.scratch.write(#"{"alt": "A jetty", "text": "Late"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try await eventually { !running.scratch.exists("Storage/inbox/maria/a.jpg.json") }
            #expect(try await running.posts().first?["text"] == "Late")
            try running.scratch.write(#"{"alt": "A boat", "text": "Late"}"#, to: "Storage/inbox/maria/a.jpg.json")
            _ = try await running.document("failed/bad_sidecar/maria/a.jpg.json.reason.json")
            #expect(try await altTexts(of: receipt, running) == ["A jetty"])

            try running.drop(Self.photo, as: "maria/b.jpg")
            let other = try await running.document("done/maria/b.jpg.receipt.json")
            try running.scratch.write(#"{"alt": ["One", "No photo"]}"#, to: "Storage/inbox/maria/b.jpg.json")
            _ = try await running.document("failed/bad_sidecar/maria/b.jpg.json.reason.json")
            #expect(try await altTexts(of: other, running) == [nil])
        }
    }

    private func altTexts(of receipt: [String: String], _ running: RunningPipeline) async throws -> [String?] {
        let id = try #require(receipt["post"])
        let photos = try await running.storage.tree.get(TreePath("posts/\(id)/photos"))?.object ?? [:]
        return photos.sorted { $0.key < $1.key }.map { $0.value["alt"]?.stringValue }
    }

    @Test("A document whose text would be lost moves its photo to failed/, both whole")
    func unknownField() async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            try running.scratch.write(#"{"captoin": "lost?"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.drop(Self.photo, as: "maria/a.jpg")
            let reason = try await running.document("failed/bad_sidecar/maria/a.jpg.reason.json")
            #expect(reason["message"]?.contains("captoin") == true && reason["hint"]?.contains("caption") == true)
            try await eventually { running.scratch.exists("Storage/failed/bad_sidecar/maria/a.jpg") }
            #expect(running.scratch.exists("Storage/failed/bad_sidecar/maria/a.jpg.json"))
        }
    }

    @Test("Edits, XMP and the video parts of Live Photos are left alone, also after their photo is deleted")
    func companions() async throws {
        try await withInbox { running in
            let left = ["a.MOV", "a.AAE", "a.xmp", "b.mp4"]
            try running.drop(Self.photo, as: "maria/a.jpg")
            try running.drop(Self.photo, as: "maria/b.JPG")
            for name in left { try running.scratch.write("no photo", to: "Storage/inbox/maria/\(name)") }
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            _ = try await running.document("done/maria/b.JPG.receipt.json")
            // It arrives after them, and is checked after all that were there.
            try running.scratch.write("no photo", to: "Storage/inbox/maria/c.mov")
            _ = try await running.document("failed/unsupported_format/maria/c.mov.reason.json")
            try await eventually { running.scratch.exists("Storage/failed/unsupported_format/maria/c.mov") }
            #expect(try running.storage.inbox.folder("maria").names() == left.sorted())
            #expect(try running.storage.failed.names() == ["unsupported_format"])
        }
    }

    @Test("A late text is added to its post if that has none, and to no other")
    func late() async throws {
        try await withInbox { running in
            try running.drop(Self.photo, as: "maria/a.jpg")
            let receipt = try await running.document("done/maria/a.jpg.receipt.json")
            try running.scratch.write(#"{"text": "Late #news"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try await eventually { running.scratch.exists("Storage/done/maria/a.jpg.json") }
            let post = try #require(try await running.posts().first)
            #expect(post["text"] == "Late #news" && post["kind"] == "photo_text")
            let id = try #require(receipt["post"])
            #expect(try await running.storage.tree.get(TreePath("hashtags/news/\(id)")) == true)

            try running.scratch.write(#"{"text": "Later"}"#, to: "Storage/inbox/maria/a.jpg.json")
            let reason = try await running.document("failed/bad_sidecar/maria/a.jpg.json.reason.json")
            #expect(reason["message"]?.contains(id) == true)
            #expect(try await running.posts().first?["text"] == "Late #news")
            // A forged receipt gives no access to another user's post.
            try running.scratch.write("x", to: "Storage/done/eve/a.jpg")
            try running.scratch.write(
                #"{"outcome": "published", "post": "\#(id)", "published_at": 9999999999999}"#,
                to: "Storage/done/eve/a.jpg.receipt.json")
            try running.scratch.write(#"{"text": "Mine"}"#, to: "Storage/inbox/eve/a.jpg.json")
            _ = try await running.document("failed/bad_sidecar/eve/a.jpg.json.reason.json")
            #expect(try await running.posts().first?["text"] == "Late #news")
        }
    }
}

@Suite("C14: Photos dropped for an audience are never posted for others", .timeLimit(.minutes(20)))
struct AudienceSidecarTests {
    @Test(
        "A document contains the audiences of a post",
        arguments: [
            (#"{"text": "a", "audiences": ["c", "d"]}"#, ["c", "d"]), (#"{"audiences": "d c"}"#, ["c", "d"]),
            (#"{"audience": "c"}"#, ["c"]), (#"{"text": "a"}"#, []), (#"{"text": "a", "audiences": []}"#, nil),
            (#"{"text": "a", "audiences": ""}"#, nil), (#"{"text": "a", "audiences": null}"#, nil),
            (#"{"text": "a", "audiences": "a/b"}"#, nil), (#"{"text": "a", "audience": 5}"#, nil),
            (#"{"text": "a", "audiences": {"c": true}}"#, nil),
        ] as [(String, [String]?)])
    func fields(document: String, audiences: [String]?) throws {
        let read = Result { try Sidecar.read(Array(document.utf8), named: "lake.jpg.json") }
        switch read {
        case .success(let sidecar): #expect(sidecar.audiences.map(\.description) == audiences)
        case .failure(let error): #expect(audiences == nil && (error as? Failure)?.code == .badSidecar)
        }
    }

    @Test("A post of the inbox is for the audiences that its document names, if its user may post there")
    func dropped() async throws {
        try await withInbox(intake: waitingForPhotos) { running in
            let tree = running.storage.tree
            try await tree.set(
                "audiences/c", to: ["name": "7b", "kind": "class", "members": ["maria": "poster", "zoe": "owner"]])
            for user in ["maria", "jan"] {
                try running.drop(Array(#"{"text": "a", "audiences": ["c"]}"#.utf8), as: "\(user)/lake.jpg.json")
                try running.drop("baseline-420.jpg", as: "\(user)/lake.jpg")
            }
            try await eventually { try await tree.keys(of: "stories/c").count == 1 }
            try await eventually { running.scratch.exists("Storage/failed/not_member/jan/lake.jpg") }
            #expect(try await tree.get(PostNodes.post()) == nil)
            #expect(try await tree.get(AudienceNodes.post())?.object?.values.first?["author"]?["uid"] == "maria")
        }
    }
}
