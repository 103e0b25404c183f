import Foundation
import HTTPTypes
import Tree

/// What lies at a place of a tree, told to a person before something else takes its place.
struct PlaceContent {
    /// Children are named one by one while they are no more than this.
    private static let maxNamed = 20

    /// Such as "3 children: people (2), posts (812), version".
    let summary: String

    /// Looks at the place; nil when nothing is there.
    static func read(_ place: DatabasePlace, from service: Service) async throws -> PlaceContent? {
        let count = try await count(of: place, service)
        guard count > 0 else {
            // A value without children, or nothing.
            let value = try await service.send(.get, place.address, query: place.query(["shallow": "true"]))
            return String(decoding: value, as: UTF8.self) == "null" ? nil : PlaceContent(summary: "a value")
        }
        let noun = count == 1 ? "1 child" : "\(count) children"
        guard count <= maxNamed else { return PlaceContent(summary: noun) }
        let names = try JSONDecoder().decode(
            [String: Bool].self,
            from: try await service.send(
                .get, place.address, query: place.query(["shallow": "true"])))
        var words: [String] = []
        for name in names.keys.sorted() {
            let children = try await self.count(of: try place.child(name), service)
            words.append(children > 0 ? "\(name) (\(children))" : name)
        }
        return PlaceContent(summary: "\(noun): \(words.joined(separator: ", "))")
    }

    private static func count(of place: DatabasePlace, _ service: Service) async throws -> Int {
        let answer = try await service.send(.get, place.address, query: place.query(["count": "true"]))
        return Int(String(decoding: answer, as: UTF8.self)) ?? 0
    }
}
