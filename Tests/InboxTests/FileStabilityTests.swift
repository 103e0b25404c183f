import Files
import Foundation
import TestSupport
import Testing
import TreeModel

@testable import Inbox

@Suite("A file is claimed when it is complete")
struct FileStabilityTests {
    /// A file at some time after its last change, as it is observed without an event.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var share = 1.0
        var isOpen = false
        /// The age of the last change, in milliseconds.
        let age: Int64
        let isComplete: Bool
    }

    static let cases = [
        Case(testDescription: "whole, closed, just now", age: 100, isComplete: false),
        Case(testDescription: "whole, closed, a second ago", age: 1500, isComplete: true),
        Case(testDescription: "half, closed, a second ago", share: 0.5, age: 1500, isComplete: false),
        Case(
            testDescription: "half, closed, longer ago than the quiet time", share: 0.5, age: 3_700_000,
            isComplete: true),
        Case(
            testDescription: "half, being written, much longer ago", share: 0.5, isOpen: true, age: 9_000_000,
            isComplete: false),
        Case(testDescription: "whole, being written, much longer ago", isOpen: true, age: 9_000_000, isComplete: false),
    ]

    @Test(arguments: cases)
    func state(_ example: Case) async throws {
        try await withScratch { scratch in
            let bytes = try Fixture.bytes("baseline-420.jpg")
            try scratch.write(Array(bytes.prefix(Int(Double(bytes.count) * example.share))), to: "a.jpg")
            let writer = example.isOpen ? FileHandle(forWritingAtPath: "\(scratch.path)/a.jpg") : nil
            let folder = try Directory(path: scratch.path)
            let entry = try #require(try folder.entry("a.jpg"))
            let stability = FileStability(
                quietTime: .seconds(3600),
                now: Timestamp(milliseconds: entry.changedNanoseconds / 1_000_000 + example.age))
            let state = try stability.state(of: entry, in: folder, hint: .seen)
            #expect((state == .complete) == example.isComplete, "\(state)")
            #expect((state == .beingWritten) == example.isOpen)
            try writer?.close()
        }
    }
}
