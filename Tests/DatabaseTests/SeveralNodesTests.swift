import API
import Access
import Database
import TestSupport
import Testing
import Tree

@Suite("Several values are read with one budget", .timeLimit(.minutes(20)))
struct SeveralNodesTests {
    /// The size of an answer, in bytes.
    private static let maxBytes = 1000

    private static func codes(_ results: [Result<NodeValue, Failure>]) -> [String] {
        results.map { result in
            switch result {
            case .success: "done"
            case .failure(let failure): failure.code.rawValue
            }
        }
    }

    @Test("Values that do not fit do not multiply what is read", arguments: [true, false])
    func manyLarge(keys: Bool) async throws {
        try await withDatabase { fixture in
            let node = "{" + (0..<1000).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
            let nodes = (0..<100).map { "\"n\($0)\":\(node)" }.joined(separator: ",")
            try await fixture.tree.update(JSONUpdate(.value, at: "large", json: "{\(nodes)}".utf8))
            try await fixture.tree.set("small", to: 1)
            let read = RowCounter()
            let session = fixture.database.session(as: .anonymous, reader: read.reader)
            var paths: [TreePath] = ["small"]
            for number in 0..<100 { paths.append(try TreePath("large/n\(number)")) }
            let (values, _) = try await SeveralNodes(of: session).values(
                at: paths, keys ? .keys : .value(.plain), maxBytes: Self.maxBytes)
            #expect(Self.codes(values) == ["done"] + Array(repeating: "too_large", count: 100))
            #expect(read.count < 5000, "\(read.count) rows of 100,000")
        }
    }

    @Test("A value behind one that does not fit is read", arguments: [true, false])
    func oneLarge(keys: Bool) async throws {
        try await withDatabase { fixture in
            let node = "{" + (0..<150).map { "\"k\($0)\":\($0)" }.joined(separator: ",") + "}"
            try await fixture.tree.update(JSONUpdate(.value, at: "large", json: node.utf8))
            try await fixture.tree.set("small", to: 1)
            let (values, _) = try await SeveralNodes(of: fixture.stranger).values(
                at: ["small", "large", "none"], keys ? .keys : .value(.plain), maxBytes: Self.maxBytes)
            #expect(Self.codes(values) == ["done", "too_large", "done"])
        }
    }
}
