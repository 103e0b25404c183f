import API
import Foundation
import HTTPTypes
package import Hummingbird
import Tree

/// Why a page is not shown, in words for people.
package enum PageRefusal {
    /// There is nothing at the address, for whom nothing is known of.
    case missing
    /// It is for people who have signed in: a browser that asks for a page does not say who is before it, and the scripts of
    /// the page ask again.
    case signIn

    /// Nil for what is the service's own trouble, or of no page.
    init?(_ error: any Error) {
        switch error {
        case let error as TreeError where error.code == .permissionDenied: self = .signIn
        case let error as Failure:
            switch error.code {
            case .permissionDenied, .notMember, .notAllowed: self = .signIn
            case .notFound, .badRequest: self = .missing
            default: return nil
            }
        default: return nil
        }
    }

    /// Whether somebody asks for a page, and no program.
    package static func isForBrowser(_ request: Request) -> Bool {
        [.get, .head].contains(request.method) && (request.headers[.accept] ?? "").contains("text/html")
    }

    /// The page for an address that no page has.
    package func response(to request: Request) -> Response {
        response("", PageTexts.in(PageLanguage(for: request.headers)), traits: .init()) { _ in nil }
    }

    /// - Parameters:
    ///   - view: The view that would be at the address, for the scripts.
    ///   - traits: What else the scripts go by.
    ///   - parameter: What the address has by the name of a parameter.
    func response(
        _ view: String, _ texts: PageTexts, traits: PageHead.Traits, _ parameter: (String) -> String?
    ) -> Response {
        let key = self == .missing ? (view == "post" ? "post.gone" : "page.gone") : "page.signIn"
        let title = texts.text("\(key)Title")
        // A post that is missing here may be for audiences of whoever has signed in.
        let mayBeShown = self == .signIn || view == "post"
        var head = PageHead(mayBeShown ? view : "missing", title, texts, origin: "", traits: traits)
        head["isHidden"] = true
        head["heading"] = title
        head["message"] = texts.text(key)
        if mayBeShown {
            head["personID"] = parameter("uid")
            head["tagName"] = parameter("tag").map { $0.removingPercentEncoding ?? $0 }
            head["postID"] = parameter("id")
        }
        return head.response("message", status: self == .missing ? .notFound : .ok)
    }
}
