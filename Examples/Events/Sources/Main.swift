import Foundation
import TintypeClient
import TintypeModel
import TintypeTestSupport

/// Lists the events of a club: from a service, or from JSON files, as previews and unit tests do.
@main
struct Main {
    static func main() async {
        guard CommandLine.arguments.count == 2 else {
            print("usage: events FOLDER, or events https://club.example.org")
            exit(2)
        }
        do {
            for line in try await lines(from: CommandLine.arguments[1]) { print(line) }
        } catch {
            print("events: \(error)")
            exit(1)
        }
    }

    private static func lines(from source: String) async throws -> [String] {
        guard source.hasPrefix("https://") || source.hasPrefix("http://"), let service = URL(string: source) else {
            // The same code reads JSON files: only the transport is another one.
            guard let anywhere = URL(string: "https://club.example.org") else { return [] }
            return try await lines(anywhere, StubTransport(folder: URL(fileURLWithPath: source)))
        }
        let transport = URLSessionTransport()
        defer { transport.close() }
        return try await lines(service, transport)
    }

    private static func lines(_ service: URL, _ transport: any Transport) async throws -> [String] {
        let client = ServiceClient(service: service, keychain: MemoryKeychain(), transport: transport)
        let events = try await client.tree("events").of(Event.self).all().value
        let sorted = events.elements.sorted { $0.begins < $1.begins }
        // An entity that cannot be decoded is one fault, and all others are there.
        return sorted.map { "\($0.begins.formatted(.iso8601)) \($0.title)\($0.place.map { ", \($0)" } ?? "")" }
            + events.faults.map { "fault: \($0)" }
    }
}
