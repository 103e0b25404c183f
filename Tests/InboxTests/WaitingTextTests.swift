import Foundation
import TestSupport
import Testing
import Tree

@testable import Inbox

@Suite("Texts that wait for their photos", .timeLimit(.minutes(10)))
struct WaitingTextTests {
    @Test(
        "A text waits for an incomplete photo beside it, however long that takes",
        arguments: ["a.jpg.part", ".a.jpg.Xq7Z1c", "a.jpg.4f2a.partial", "a.jpg.incomplete"])
    func photoOnItsWay(partial: String) async throws {
        try await withInbox { running in
            try running.scratch.write(#"{"text": "Slow"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.scratch.write([1], to: "Storage/inbox/maria/\(partial)")
            // A later text has been given up by then.
            try await running.lookAtLonelyText("b.jpg.json")
            #expect(running.scratch.exists("Storage/inbox/maria/a.jpg.json"))
            try FileManager.default.removeItem(atPath: "\(running.scratch.path)/Storage/inbox/maria/\(partial)")
            _ = try await running.document("failed/bad_sidecar/maria/a.jpg.json.reason.json")
        }
    }

    @Test("A text that arrives long before its photo is used with it, as are its audiences")
    func photoComesLater() async throws {
        try await withInbox(intake: { $0.photoPatience = .seconds(3600) }) { running in
            try running.scratch.write(#"{"text": "Slow"}"#, to: "Storage/inbox/maria/a.jpg.json")
            try running.drop(Array("no photo".utf8), as: "maria/z.jpg")
            // Each walk checks both.
            try await eventually { try FailedFiles(storage: "\(running.scratch.path)/Storage").items().count == 1 }
            #expect(running.scratch.exists("Storage/inbox/maria/a.jpg.json"))
            try running.drop(Fixture.bytes("baseline-420.jpg"), as: "maria/a.jpg")
            _ = try await running.document("done/maria/a.jpg.receipt.json")
            #expect(try await running.posts().map { $0["text"] } == ["Slow"])
        }
    }
}

extension RunningPipeline {
    /// Drops a text without a photo, and waits until it is given up.
    fileprivate func lookAtLonelyText(_ name: String) async throws {
        try scratch.write(#"{"text": "Lonely"}"#, to: "Storage/inbox/maria/\(name)")
        _ = try await document("failed/bad_sidecar/maria/\(name).reason.json")
    }
}
