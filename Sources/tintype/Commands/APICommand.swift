import API
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import Uploads

/// Sends one request to the running service, and prints its response.
struct APICommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "api",
        abstract: "Send a request to the running service, and print its response.",
        usage: "tintype api <method> <path> [<json>] [<options>]",
        discussion: """
            GET /v1/openapi.json describes the requests. They are sent through the socket, with the rights of an admin. Where \
            a request allows an admin to act for a user, as=USER in the query names the user. The response is printed as it \
            arrives: unchanged, or on a terminal with formatted JSON. Ctrl-C ends a stream of events. An error \
            response makes the command fail.

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
            "The JSON body, @FILE to read it from a file, or - to read it from standard input.",
            valueName: "json"))
    var json: String?

    @Flag(name: .shortAndLong, help: "Print the status and the header fields of the response first.")
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
            throw ValidationError("\(requestMethod) has no JSON body (its parameters are in the path and the query)")
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

    /// The path and the query, with characters that are not allowed in a URL, such as spaces, percent-encoded.
    private var target: String {
        let allowed = CharacterSet(charactersIn: "!"..."~").subtracting(CharacterSet(charactersIn: ##""#<>\^`{|}"##))
        return path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    }

    /// Returns the body of the request: the JSON of the argument, or of the file or the standard input that it names,
    /// byte for byte; no body without the argument.
    ///
    /// - Throws: `ValidationError` for a text that is not JSON; `FileError` and `Failure` when it cannot be read.
    private func body() async throws -> RequestBody {
        guard let json else { return .none }
        let isFile = json.hasPrefix("@")
        let text =
            try await json == "-" || isFile
            ? TextFile(path: isFile ? String(json.dropFirst()) : json) : TextFile(name: "JSON", text: json)
        do {
            _ = try text.json()
        } catch let fault as TextFault {
            let hint = #"Write it as in '{"text": "Hi"}', or name a file with @FILE, or standard input with -."#
            throw ValidationError(
                TextFault(in: text, line: fault.line, column: fault.column, message: "\(fault.message). \(hint)")
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
