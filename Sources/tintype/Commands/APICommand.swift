import API
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import Uploads

/// Sends one request to the running service, and prints its answer.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Send a request to the running service, and print its answer.",
        usage: "tintype api <method> <path> [<json>] [<options>]",
        discussion: """
            The requests are those of GET /v1/openapi.json. They come through the socket, and so may do what an admin may; \
            as=USER in the query says for whom, where a request lets an admin say so. The answer is printed as it arrives: as \
            it is, or on a terminal with JSON in lines. A stream of events ends with Ctrl-C. A refusal is an error of this \
            command, as of all others.

            EXAMPLES
              tintype api GET '/v1/people/maria/feed?limit=5'
              tintype api GET /v1/posts | jq -r '.posts[].post_id'
              tintype api PUT /v1/posts/-OaBcDeFgHiJkLmNoPqR/likes/maria
              tintype api POST /v1/announcements '{"text": "Dinner is at seven"}'
              echo '{"social": false}' | tintype api PATCH /v1/people/maria/privacy -
              tintype api GET /notes.json --include
            """)

    private static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .patch, .delete]

    @OptionGroup var storage: StorageOptions

    @Argument(help: ArgumentHelp("GET, HEAD, POST, PUT, PATCH or DELETE.", valueName: "method"))
    var method: String

    @Argument(help: ArgumentHelp("The path, which begins with a slash, and the query.", valueName: "path"))
    var path: String

    @Argument(
        help: ArgumentHelp(
            "The JSON that is sent, or @FILE to read it from a file, or - from standard input.",
            valueName: "json"))
    var json: String?

    @Flag(name: .shortAndLong, help: "Print the status and the headers of the answer first.")
    var include = false

    func validate() throws {
        guard Self.methods.contains(requestMethod) else {
            let names = Self.methods.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("there is no method \"\(method.prefix(80))\" (use \(names))".printable)
        }
        guard path.hasPrefix("/") else {
            throw ValidationError(
                "the path \"\(path.prefix(80))\" does not begin with a slash (write it as in /v1/posts)".printable)
        }
        guard json == nil || ![.get, .head].contains(requestMethod) else {
            throw ValidationError("\(requestMethod) takes no JSON (what it asks for is in the path and the query)")
        }
    }

    func run() async throws {
        let body = try await body()
        let headers: HTTPFields = json == nil ? [:] : [.contentType: "application/json"]
        try await APIClient(storage).exchange(requestMethod, target, headers: headers, body: body) { response, body in
            if include { printHead(of: response) }
            try await APIClient.requireSuccess(response, body)
            try await AnswerPrinter(response).print(body)
        }
    }

    private var requestMethod: HTTPRequest.Method { HTTPRequest.Method(method.uppercased()) ?? .connect }

    /// The path and the query with what may not stand there, such as spaces, percent-encoded.
    private var target: String {
        let allowed = CharacterSet(charactersIn: "!"..."~").subtracting(CharacterSet(charactersIn: ##""#<>\^`{|}"##))
        return path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    }

    /// The JSON, byte for byte as it was given.
    ///
    /// - Throws: `ValidationError` for a text that is no JSON; `FileError` and `Failure` where it cannot be read.
    private func body() async throws -> RequestBody {
        guard let json else { return .none }
        let isFile = json.hasPrefix("@")
        let text =
            try await json == "-" || isFile
            ? TextFile(path: isFile ? String(json.dropFirst()) : json) : TextFile(name: "JSON", text: json)
        do {
            _ = try text.json()
        } catch let fault as TextFault {
            let hint = #"write it as in '{"text": "Hi"}'; @FILE reads a file, - standard input"#
            throw ValidationError(
                TextFault(in: text, line: fault.line, column: fault.column, message: "\(fault.message) (\(hint))")
                    .description)
        }
        return .bytes(Array(text.text.utf8))
    }

    private func printHead(of response: HTTPResponse) {
        Terminal.output("HTTP/1.1 \(response.status)".printable)
        for field in response.headerFields { Terminal.output("\(field.name): \(field.value)".printable) }
        Terminal.output("")
    }
}
