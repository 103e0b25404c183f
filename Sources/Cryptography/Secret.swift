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
        Digest.areEqual(Array(self.text.utf8), Array(text.utf8))
    }
}
