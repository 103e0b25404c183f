import Foundation
import TintypeModel
import TintypeStore

/// A line that is being typed.
struct Prompt {
    /// The use of the line.
    enum Purpose {
        case address
        case password(address: String)
        case post
        /// Files of a post, one after the other.
        case photos(PostDraft)
        case comment(Post.ID)
        case editPost(Post.ID)
        case editComment(LocalComment, Post.ID)
        case deletePost(Post.ID)
        case deleteComment(Comment.ID, Post.ID)
    }

    let purpose: Purpose
    let label: String
    var text = ""

    init(_ purpose: Purpose, _ label: String, text: String = "") {
        (self.purpose, self.label, self.text) = (purpose, label, text)
    }

    /// Takes a key.
    ///
    /// - Returns: Whether the line is complete.
    mutating func type(_ key: Key) -> Bool {
        switch key {
        case .character(let character): text.append(character)
        case .backspace: _ = text.popLast()
        case .enter: return true
        default: break
        }
        return false
    }

    /// The end of the line, which is where one types. A password is not shown.
    func row(width: Int) -> Row {
        var shown = text.printable
        if case .password = purpose { shown = "" }
        let label = label.shortened(to: width / 2)
        while label.columnCount + shown.columnCount + 3 > width, !shown.isEmpty { shown.removeFirst() }
        return [Span(label + ": ", .bold), Span(shown), Span(" ", .inverse)]
    }
}
