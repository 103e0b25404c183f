import ArgumentParser
import Model
import TreeModel

extension PostID {
    /// Reads the id of a post in the arguments of a command.
    ///
    /// - Throws: `ValidationError`.
    init(argument text: String) throws {
        guard let id = PostID(text) else { throw ValidationError("\"\(text.prefix(80))\" is not a post's id") }
        self = id
    }

    /// Reads the id of the only post in the arguments of a command.
    ///
    /// - Throws: `ValidationError`.
    init(onlyArgument texts: [String]) throws {
        guard texts.count == 1 else { throw ValidationError("name one post") }
        try self.init(argument: texts[0])
    }
}
