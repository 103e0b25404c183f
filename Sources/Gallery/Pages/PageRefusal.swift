import API
import Foundation
import HTTPTypes
package import Hummingbird
import Server
import Tree

/// The reason why a page is not shown, in words for people.
package enum PageRefusal {
    /// The address has no page, as far as an anonymous requester may know.
    case missing
    /// The page is for people who have signed in. A browser's request for a page contains no credentials; the scripts
    /// of the page repeat it with them.
    case signIn

    /// Creates the refusal for an error; nil for faults of the service, and for errors that are not about a page.
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

    /// Whether a browser requests a page, rather than a program a document.
    package static func isForBrowser(_ request: Request) -> Bool {
        [.get, .head].contains(request.method) && (request.headers[.accept] ?? "").contains("text/html")
    }

    /// - Parameters:
    ///   - view: The view that would be at the address, for the scripts.
    ///   - traits: Further traits for the scripts.
    ///   - parameter: The value of a path parameter, by its name.
    func response(
        _ view: String, _ texts: PageTexts, of site: Site, traits: PageHead.Traits, _ parameter: (String) -> String?
    ) -> Response {
        let key = self == .missing ? (view == "post" ? "post.gone" : "page.gone") : "page.signIn"
        let title = texts.text("\(key)Title")
        // A missing post may be one for audiences, which a user who has signed in may see.
        let mayBeShown = self == .signIn || view == "post"
        var head = PageHead(mayBeShown ? view : "missing", title, texts, of: site, origin: "", traits: traits)
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
