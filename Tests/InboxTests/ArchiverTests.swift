import Files
import TestSupport
import Testing

@testable import Inbox

@Suite("Processed files are moved away, and existing files are never overwritten")
struct PutAwayTests {
    static let marked = "lake.m1.jpg"

    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        /// The initial files of the folder, as names and texts.
        let before: [String: String]
        let after: [String: String]
        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "an empty folder", before: [:], after: ["lake.jpg": "lake", "lake.jpg.failed.json": "m1"]),
        Case(
            name: "only a document of an earlier attempt", before: ["lake.jpg.failed.json": #"{"mark":"m1"}"#],
            after: ["lake.jpg": "lake", "lake.jpg.failed.json": #"{"mark":"m1"}"#]),
        Case(
            name: "a whole copy of an earlier attempt",
            before: ["lake.jpg": "lake", "lake.jpg.failed.json": #"{"mark":"m1"}"#],
            after: ["lake.jpg": "lake", "lake.jpg.failed.json": #"{"mark":"m1"}"#]),
        Case(
            name: "another file, put there since an earlier attempt",
            before: ["lake.jpg": "somebody's", "lake.jpg.failed.json": #"{"mark":"m1"}"#],
            after: [
                "lake.jpg": "somebody's", "lake.jpg.failed.json": #"{"mark":"m1"}"#, marked: "lake",
                "\(marked).failed.json": "m1",
            ]),
        Case(
            name: "another file of the name", before: ["lake.jpg": "else", "lake.jpg.failed.json": #"{"mark":"m0"}"#],
            after: [
                "lake.jpg": "else", "lake.jpg.failed.json": #"{"mark":"m0"}"#, marked: "lake",
                "\(marked).failed.json": "m1",
            ]),
        Case(
            name: "a file without a document", before: ["lake.jpg": "else"],
            after: ["lake.jpg": "else", marked: "lake", "\(marked).failed.json": "m1"]),
    ]

    @Test(arguments: cases)
    func put(_ example: Case) async throws {
        try await withScratch { scratch in
            try scratch.write("lake", to: "source/lake.jpg")
            for (name, text) in example.before { try scratch.write(text, to: "failed/\(name)") }
            let root = try scratch.directory()
            let folder = try root.folder("failed", create: true)
            let putAway = Archiver(folder: folder, staging: try root.folder("staging", create: true), mark: "m1")
            let source = try root.folder("source")
            try putAway.put("lake.jpg", from: source, kind: "failed") { _ in Array("m1".utf8) }
            var after: [String: String] = [:]
            for entry in try folder.entries() { after[entry.name] = try scratch.read("failed/\(entry.name)") }
            #expect(after == example.after)
            #expect(try source.entries().isEmpty)
        }
    }
}
