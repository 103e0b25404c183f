import Foundation
import HTTPTypes
import Tree

/// A summary of the content of a database reference, shown to a person before it is replaced.
struct ContentSummary {
    /// The largest number of children that are listed by name.
    private static let maxNamed = 20

    /// The summary in words, such as "3 children: people (2), posts (812), version".
    let summary: String

    /// Reads the content of the reference; nil when it is empty.
    static func read(_ reference: DatabaseReference, from service: APIClient) async throws -> ContentSummary? {
        let count = try await count(of: reference, service)
        guard count > 0 else {
            // The content is a value without children, or empty.
            let value = try await service.send(.get, reference.address, query: reference.query(["shallow": "true"]))
            return String(decoding: value, as: UTF8.self) == "null" ? nil : ContentSummary(summary: "a value")
        }
        let noun = count == 1 ? "1 child" : "\(count) children"
        guard count <= maxNamed else { return ContentSummary(summary: noun) }
        let names = try JSONDecoder().decode(
            [String: Bool].self,
            from: try await service.send(
                .get, reference.address, query: reference.query(["shallow": "true"])))
        var words: [String] = []
        for name in names.keys.sorted() {
            let children = try await self.count(of: try reference.child(name), service)
            words.append(children > 0 ? "\(name) (\(children))" : name)
        }
        return ContentSummary(summary: "\(noun): \(words.joined(separator: ", "))")
    }

    private static func count(of reference: DatabaseReference, _ service: APIClient) async throws -> Int {
        let answer = try await service.send(.get, reference.address, query: reference.query(["count": "true"]))
        return Int(String(decoding: answer, as: UTF8.self)) ?? 0
    }
}
