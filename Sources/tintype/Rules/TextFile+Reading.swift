import Access
import Rules
import TreeModel

extension TextFile {
    /// Parses the text as JSON.
    ///
    /// - Throws: ``TextFault``.
    func json() throws -> JSONValue {
        if let value = JSONValue(text: text.utf8) { return value }
        var tokenizer = JSONTokenizer(NoSink())
        do {
            try tokenizer.feed(text.utf8.span)
            try tokenizer.finish()
        } catch {
            throw TextFault(in: self, atByte: tokenizer.offset, message: error.message)
        }
        throw TextFault(in: self, atByte: 0, message: "an object in it has two members of one name")
    }

    /// Parses the text as a tree, in the form of an export.
    ///
    /// - Throws: ``TextFault``, and `TreeError` for values that a tree cannot hold.
    func tree() throws -> JSONRulesTree {
        do {
            return try JSONRulesTree(try json())
        } catch let error as TreeError {
            throw error.placed(in: name)
        }
    }

    /// Parses the text as rules of a tree.
    ///
    /// - Throws: ``TextFault``, and `TreeError` for a document that is too long.
    func rules() throws -> RulesDocument { try compiled { text throws(TreeError) in try RulesDocument(text) } }

    /// Parses the text as storage rules.
    ///
    /// - Throws: ``TextFault``, and `TreeError` for a document that is too long.
    func storageRules() throws -> StorageRules { try compiled { text throws(TreeError) in try StorageRules(text) } }

    private func compiled<R>(_ compile: (String) throws(TreeError) -> R) throws -> R {
        do throws(TreeError) {
            return try compile(text)
        } catch {
            throw TextFault(error, in: self) ?? error.placed(in: name)
        }
    }
}

extension TreeError {
    /// Returns the failure with a name before its message.
    func placed(in name: String) -> TreeError {
        TreeError(code, "\(name): \(message)", hint: hint)
    }
}

/// A sink that discards the tokens of a text that is only checked for errors.
private struct NoSink: JSONSink {
    func beginObject() {}
    func key(_ utf8: Span<UInt8>) {}
    func endObject() {}
    func beginArray() {}
    func endArray() {}
    func string(_ utf8: Span<UInt8>) {}
    func number(_ number: JSONNumber) {}
    func bool(_ bool: Bool) {}
    func null() {}
}
