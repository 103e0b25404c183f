import Foundation
import TintypeClient
import TintypeModel

/// A service with any number of posts, in memory: it answers what the store of a device requests.
struct GeneratedService: Transport {
    /// The number of posts in the feed.
    let postCount: Int
    /// The number of posts in the first answer.
    let pageCount: Int

    func response(
        to request: TransportRequest, progress: (@Sendable (_ sentCount: Int64) -> Void)?
    ) async throws -> TransportResponse {
        switch request.url.path {
        case "/v1/sync":
            if request.url.query?.contains("since=") == true {
                return json(#"{"next":"\#(postCount + 1).f","more":false}"#)
            }
            let posts = (0..<min(postCount, pageCount)).map { post(postCount - $0) }.joined(separator: ",")
            return json(#"{"next":"\#(postCount + 1).f","more":false,"feed":{"reset":true,"posts":[\#(posts)]}}"#)
        case let path where path.hasSuffix(":signInWithPassword"):
            let token = "e30." + base64(#"{"sub":"ann","iat":1000,"exp":4600,"user_id":"ann"}"#) + ".e30"
            return json(
                #"{"localId":"ann","email":"ann@example.org","idToken":"\#(token)","refreshToken":"r","expiresIn":"3600"}"#
            )
        default: return TransportResponse(status: 404)
        }
    }

    func stream(for request: TransportRequest) async throws -> TransportStream {
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self, throwing: (any Error).self)
        continuation.yield(Data(": changes follow\n\n".utf8))
        return TransportStream(status: 200, chunks: chunks)
    }

    private func json(_ text: String) -> TransportResponse {
        TransportResponse(
            status: 200, headers: ["Content-Type": "application/json", "Tintype-Token": "\(postCount + 1)"],
            body: Data(text.utf8))
    }

    private func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString().replacingOccurrences(of: "=", with: "")
    }

    /// A post with one photo, as lists of the service have it.
    private func post(_ number: Int) -> String {
        let id = "-P" + String(repeating: "0", count: 18 - String(number).count) + String(number)
        let renditions = ["full", "medium", "small", "thumb", "tile"].map { name in
            #""\#(name)":{"bytes":257589,"content_type":"image/jpeg","width":1280,"height":724,"#
                + #""storage_uri":"blobs/jan/\#(id)/\#(name)-c0763563-8wnheafpkb.jpg","#
                + #""url":"/media/jan/\#(id)/\#(name)-c0763563-8wnheafpkb.jpg"}"#
        }.joined(separator: ",")
        return #"{"post_id":"\#(id)","kind":"photo_text","author":{"uid":"jan","full_name":"Jan"},"#
            + #""text":"Photo \#(number) of the lake","timestamp":1795251415385,"created":1795251415385,"#
            + #""updated":1795251415385,"published":\#(number),"position":"\#(number)","liked":false,"#
            + #""counts":{"likes":3,"comments":1},"photos":[{"width":2688,"height":1520,"color":"\u0023848775","#
            + #""placeholder":"z8gFHIIlPISfdofkCngzliBgKQ==","renditions":{\#(renditions)}}]}"#
    }
}
