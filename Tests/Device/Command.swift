import Foundation
import TintypeModel

/// A command of the test, with its arguments by their names.
struct Command {
    let document: JSONValue

    init?(_ line: String) {
        guard let document = try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)) else { return nil }
        self.document = document
    }

    var name: String { document["do"]?.string ?? "" }

    /// Whether it waits for the network.
    var waits: Bool { ["sign-in", "load", "load-comments", "load-person", "quiet"].contains(name) }

    func text(_ name: String) throws -> String {
        guard let text = document[name]?.string else { throw MissingArgument(name: name) }
        return text
    }

    func id<Subject>(_ name: String) throws -> EntityID<Subject> { EntityID(try text(name)) }

    func flag(_ name: String) throws -> Bool {
        guard let flag = document[name]?.bool else { throw MissingArgument(name: name) }
        return flag
    }

    func number(_ name: String) throws -> Double {
        guard let number = document[name]?.double else { throw MissingArgument(name: name) }
        return number
    }
}

struct MissingArgument: Error {
    let name: String
}
