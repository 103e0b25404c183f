/// A credential. However it is printed, be it as a part of something else, it does not say what it is.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The credential itself: for a comparison, and for nothing that is written anywhere.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { "[hidden]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text is this credential; takes a time that tells nothing of where the two differ.
    package func matches(_ text: String) -> Bool {
        let (one, other) = (Array(self.text.utf8), Array(text.utf8))
        guard one.count == other.count else { return false }
        return zip(one, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
