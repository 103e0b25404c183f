import API

@testable import Model
@testable import Social
@testable import Tree

/// Flags by routes, and the admins' view of all flags.
extension SocialWorld {
    func ask(_ operation: FlagOperation) async throws {
        switch operation {
        case .flag(let post, let comment, let uid):
            guard let (subject, flagged) = subject(post, comment) else { return }
            let user = try user(uid)
            let code: ErrorCode? = model.isVisible(subject, to: uid) ? nil : .notFound
            let isDone = try await attempt("\(operation)", code) {
                _ = try await Flags(tree).add(by: user, to: flagged)
            }
            guard isDone, !model.exists("\(subject.flags)/\(uid)") else { return }
            model.apply([NaiveWrite("\(subject.flags)/\(uid)", true)])
        case .unflag(let post, let comment, let uid):
            guard let (subject, flagged) = subject(post, comment) else { return }
            let user = try user(uid)
            let isThere = model.exists("\(subject.flags)/\(uid)") || model.isVisible(subject, to: uid)
            let isDone = try await attempt("\(operation)", isThere ? nil : .notFound) {
                _ = try await Flags(tree).remove(by: user, from: flagged)
            }
            guard isDone else { return }
            model.apply([NaiveWrite("\(subject.flags)/\(uid)", nil)])
        case .dismiss(let post, let comment):
            guard let (subject, flagged) = subject(post, comment) else { return }
            let isKnown =
                model.exists(subject.flags) || model.flags.records[subject, default: .init()].isDismissed
            let code: ErrorCode? = isKnown && subject.place(in: model.main) != nil ? nil : .notFound
            let isDone = try await attempt("\(operation)", code) { _ = try await Flags(tree).dismiss(flagged) }
            guard isDone else { return }
            model.flags.records[subject, default: .init()].isDismissed = true
        }
    }

    private func subject(_ post: String, _ comment: Int?) -> (NaiveFlags.Subject, FlagSubject)? {
        guard let id = PostID(post) else { return nil }
        guard let comment else { return (NaiveFlags.Subject(post: post), FlagSubject(post: id)) }
        let known = model.main.keys("comments/\(post)")
        let key = comment < known.count ? known[comment] : "c9"
        return (
            NaiveFlags.Subject(post: post, comment: key), FlagSubject(post: id, comment: TreeKey(unchecked: key))
        )
    }

    func compareFlags() async throws {
        for order in Flags.Order.allCases {
            var (found, cursor): ([FlaggedDocument], String?) = ([], nil)
            repeat {
                let page = try await Flags(tree).page(order, after: cursor, limit: 2).document
                found += page.flagged
                cursor = page.next
            } while cursor != nil
            let expected = model.flagged(mostFirst: order == .most)
            expect(
                "the flags, by \(order)", found.map { [$0.postID, $0.commentID ?? "-"].joined(separator: "/") },
                expected.map { [$0.subject.post, $0.subject.comment ?? "-"].joined(separator: "/") })
            for (row, other) in zip(found, expected) {
                if (row.flags, row.since) != (Int64(other.count), other.since) {
                    complain("\(row) is flagged \(other.count) times, since \(other.since)")
                }
                if row.text != other.subject.place(in: model.main).flatMap({ model.main.text("\($0)/text") }) {
                    complain("\(row) has another text")
                }
            }
        }
    }
}
