import Access
import Rules
import TreeModel

extension TextFile {
    /// The text as JSON.
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

    /// The text as a tree, in the form of an export.
    ///
    /// - Throws: ``TextFault``, and `TreeError` for what no tree holds.
    func tree() throws -> JSONRulesTree {
        do {
            return try JSONRulesTree(try json())
        } catch let error as TreeError {
            throw error.placed(in: name)
        }
    }

    /// The text as rules of a tree.
    ///
    /// - Throws: ``TextFault``, and `TreeError` for a document that is too long.
    func rules() throws -> RulesDocument { try compiled { text throws(TreeError) in try RulesDocument(text) } }

    /// The text as storage rules.
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
    /// The failure with the name of what is at fault before its message.
    func placed(in name: String) -> TreeError {
        TreeError(code, "\(name): \(message)", hint: hint)
    }
}

/// Takes the tokens of a text of which only the faults are wanted.
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
