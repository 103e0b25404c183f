import Foundation
import TintypeModel
import TintypeStore

/// A post as rows of the screen.
struct PostCell {
    let post: LocalPost
    /// The writes on it that the service has refused, or that are in conflict with somebody else's.
    let parked: [ParkedWrite]
    /// The part of it that has been sent, in percent; nil if it is not being sent.
    let progress: Int?

    func rows(isSelected: Bool, width: Int) -> [Row] {
        let inner = max(10, width - 2)
        var rows: [Row] = [header(width: inner)]
        rows += (post.post.text ?? "").isEmpty ? [] : post.post.text?.wrapped(to: inner).map { [Span($0)] } ?? []
        if !post.post.photos.isEmpty {
            rows += Picture.rows(of: post.post.photos, width: inner)
            rows += photoNote.wrapped(to: inner).map { [Span($0, .faint)] }
        }
        rows.append(footer)
        for write in parked { rows += Self.rows(of: write, width: inner) }
        let mark = isSelected ? Span("▌ ", .green) : Span("  ")
        return rows.map { [mark] + $0 } + [[]]
    }

    private func header(width: Int) -> Row {
        let edited = post.post.editedAt == nil ? "" : ", edited"
        let name = Span(post.post.author.displayName.shortened(to: width / 2), .bold)
        let time = Span("  " + post.post.timestamp.age + edited, .faint)
        return [name, time].with(trailing: [state], width: width)
    }

    /// How far the service knows what the device shows. This is what makes an app trustworthy without a network.
    private var state: Span {
        if !parked.isEmpty { return Span("needs you: r", .red) }
        if let progress { return Span("sending \(progress) %", .yellow) }
        switch post.state {
        case .toBeAdded: return Span("waiting to be sent", .yellow)
        case .toBeUpdated: return Span("change waiting", .yellow)
        case .toBeDeleted: return Span("being deleted", .yellow)
        case .upToDate:
            let count = post.unsentWrites.count
            return count == 0 ? Span("") : Span("\(count) waiting", .yellow)
        }
    }

    private var photoNote: String {
        let photos = post.post.photos
        let count = photos.count == 1 ? "1 photo" : "\(photos.count) photos"
        let texts = photos.compactMap(\.alternativeText)
        return texts.isEmpty ? count : count + ": " + texts.joined(separator: "; ")
    }

    private var footer: Row {
        let counts = post.post.counts ?? Post.Counts()
        let isLiked = post.post.isLiked == true
        return [
            Span("♥ \(counts.likes)", isLiked ? .red : .plain), Span(isLiked ? " with yours" : "", .faint),
            Span("   \(counts.comments) \(counts.comments == 1 ? "comment" : "comments")"),
        ]
    }

    /// The rows of a write that waits for the person: the reason, or both versions.
    static func rows(of write: ParkedWrite, width: Int) -> [Row] {
        let lines: [String] =
            switch write.reason {
            case .refused(let problem): ["refused: \(problem.message) \(problem.hint)"]
            case .conflict(.post(_, let mine, let theirs)): versions(mine ?? "no text", theirs.text ?? "no text")
            case .conflict(.comment(_, let mine, let theirs)): versions(mine, theirs.text)
            case .conflict(.tree(let path, _, _)): ["somebody else has changed \(path), too"]
            }
        return lines.flatMap { $0.wrapped(to: width) }.map { [Span($0, .red)] }
    }

    private static func versions(_ mine: String, _ theirs: String) -> [String] {
        ["changed elsewhere, too.", "  yours:  \(mine)", "  theirs: \(theirs)"]
    }
}

extension Date {
    /// The time that has passed, or the day.
    var age: String {
        let seconds = max(0, -timeIntervalSinceNow)
        if seconds < 60 { return "now" }
        if seconds < 3600 { return "\(Int(seconds / 60)) min" }
        if seconds < 86_400 { return "\(Int(seconds / 3600)) h" }
        return formatted(.iso8601.year().month().day())
    }
}
