import API
import Files
import Foundation
import Imaging
import Model
import Store
import TestSupport
import Testing
import Tree
import Uploads

@Suite("Bad input gets a clear error and loses nothing")
struct RefusalTests {
    @Test(
        "F7, B29: a file that is not a photo is refused before it is acknowledged, with a code, its name, and a hint",
        arguments: [
            ("text.jpg", "unsupported_format"), ("empty.jpg", "empty"), ("jpeg-xl.jpg", "unsupported_format"),
        ])
    func refusedAtIngest(file: String, code: String) async throws {
        try await withPipeline { running in
            let error = await #expect(throws: Failure.self) {
                try await running.upload([(file, try Fixture.bytes(file))], by: "u")
            }
            #expect(error?.code.rawValue == code)
            #expect(error?.message.contains(file) == true)
            #expect(error?.hint.isEmpty == false)
            let posts = try await running.storage.tree.get("posts")
            #expect(posts == nil)
            // A part is deleted with its last reference: a thread that wrote it may release it a moment after the
            // answer.
            // (The service's own documents are there for a moment, hidden.)
            try await eventually { try running.storage.incoming.names().allSatisfy { $0.hasPrefix(".") } }
        }
    }

    @Test(
        "F20, K8, FriendlyPix 10: an undecodable photo fails for good, and its bytes and the reason are put aside",
        arguments: [
            ("truncated-baseline-420.jpg", "truncated"), ("bomb-65500x65500.png", "too_many_pixels"),
            ("truncated-plain.gif", "truncated"), ("long-side.png", "side_too_long"),
        ])
    func verdicts(file: String, code: String) async throws {
        try await withPipeline { running in
            let bytes = try Fixture.bytes(file)
            let record = try await running.upload([(file, bytes)], by: "maria", text: "look")
            #expect(record.state == .failed)
            #expect(record.error?.code.rawValue == code)
            #expect(record.error?.message.contains(file) == true)
            try await eventually { try await running.storage.tree.get(UploadNodes.queued()) == nil }
            let name = "upload\(record.id).original.\(file.suffix(3))"
            #expect(running.scratch.exists("Storage/failed/\(code)/maria/\(name)"))
            let reason = try running.scratch.read("Storage/failed/\(code)/maria/\(name).reason.json")
            #expect(try running.scratch.read("Storage/failed/\(code)/maria/\(name).json") == #"{"text":"look"}"#)
            #expect(reason.contains(code) && reason.contains(file))
            #expect(try await running.storage.blobs.fileNames(userID: "maria", postID: record.id.description).isEmpty)
            #expect(try await running.storage.tree.get("posts") == nil)
            #expect(try await running.storage.tree.get("people") == nil)
        }
    }

    @Test("One bad photo spoils only its own post")
    func theNextUploadIsNotHeldUp() async throws {
        try await withPipeline { running in
            let good = (name: "good.jpg", bytes: try Fixture.bytes("baseline-420.jpg"))
            let bad = (name: "bad.jpg", bytes: try Fixture.bytes("truncated-baseline-420.jpg"))
            async let first = running.upload([good, bad], by: "u")
            async let second = running.upload([good], by: "u")
            #expect(try await first.state == .failed)
            #expect(try await second.state == .published)
        }
    }

    @Test(
        "Texts and references are checked",
        arguments: [
            (String(repeating: "x", count: 2000), nil, "bad_text"), ("bell\u{7}", nil, "bad_text"),
            ("ok", "", "bad_reference"), ("ok", String(repeating: "k", count: 201), "bad_reference"),
            ("ok", "späth", "bad_reference"),
        ] as [(String, String?, String)])
    func badFields(text: String, reference: String?, code: String) async throws {
        try await withPipeline { running in
            let error = await #expect(throws: Failure.self) {
                try await running.upload([], by: "u", text: text, reference: reference)
            }
            #expect(error?.code.rawValue == code)
        }
    }

    @Test("P2: an unknown user is refused where first posts do not create people")
    func unknownUser() async throws {
        try await withPipeline(settings: { $0.createsPeople = false }) { running in
            let error = await #expect(throws: Failure.self) {
                try await running.upload([], by: "nobody", text: "hi")
            }
            #expect(error?.code == .unknownUser)
        }
    }

    @Test("A file over the limit is refused at the limit, whatever its name")
    func tooLarge() async throws {
        try await withPipeline(settings: { $0.limits = ImageLimits(maxInputBytes: 1000) }) { running in
            let error = await #expect(throws: Failure.self) {
                try await running.upload([("a.jpg", [UInt8](repeating: 7, count: 1001))], by: "u")
            }
            #expect(error?.code == .tooLarge)
            #expect(error?.message.contains("1000") == true)
        }
    }
}
