/// A credential. It is not revealed when it is printed, even as a part of another value.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The credential itself; for comparisons only, it must not be written anywhere.
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package var description: String { "[hidden]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// Whether a text is this credential. The time does not depend on where the two differ.
    package func matches(_ text: String) -> Bool {
        Digest.areEqual(Array(self.text.utf8), Array(text.utf8))
    }
}
