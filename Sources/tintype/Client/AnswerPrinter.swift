import API
import ArgumentParser
import Client
import Foundation
import HTTPTypes
import NIOCore
import NIOPosix
import TreeModel

/// Prints the body of a response while it arrives, of any length.
struct AnswerPrinter {
    private let mediaType: String
    /// Whether standard output is a terminal, on which JSON is formatted over several lines.
    private let isShown = isatty(STDOUT_FILENO) == 1

    init(_ response: HTTPResponse) {
        mediaType = response.headerFields[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
    }

    /// Prints the body.
    ///
    /// - Throws: `Failure` when the connection is lost, or the service ends a stream of events; `ValidationError` for bytes that
    ///   a terminal cannot show; the errors of `StandardOutput`.
    func print(_ body: ResponseBody) async throws {
        var shown = isShown ? ShownAnswer(isJSON: isJSON) : nil
        for try await chunk in body {
            guard !isShown || isJSON || isText else {
                throw ValidationError(
                    "the response is \(mediaType), which a terminal cannot show (send it to a file: > FILE)")
            }
            let bytes = Array(chunk.readableBytesView)
            try await Self.write(shown?.next(bytes) ?? bytes)
        }
        if let end = shown?.end { try await Self.write(end) }
        if mediaType == "text/event-stream" {
            throw Failure(
                .connectionLost, "the service has ended the stream",
                hint: "Check whether it still runs, then try again.",
                isTransient: true)
        }
    }

    private var isJSON: Bool { mediaType == "application/json" || mediaType.hasSuffix("+json") }

    private var isText: Bool {
        mediaType.hasPrefix("text/") || mediaType.hasSuffix("+xml") || mediaType == "application/x-ndjson"
    }

    private static func write(_ bytes: [UInt8]) async throws {
        try await NIOThreadPool.singleton.runIfActive { try bytes.withUnsafeBytes { try StandardOutput.write($0) } }
    }
}

/// A response in the form that a terminal shows.
private struct ShownAnswer {
    private var indenter: JSONIndenter?
    private var text = TerminalText()
    private var isInLine = false

    init(isJSON: Bool) { indenter = isJSON ? JSONIndenter() : nil }

    mutating func next(_ bytes: [UInt8]) -> [UInt8] {
        let shown = Array(text.show(indenter?.indent(bytes) ?? bytes).utf8)
        if let last = shown.last { isInLine = last != UInt8(ascii: "\n") }
        return shown
    }

    /// The line break that is missing at the end of the response; nil when it ends with one.
    var end: [UInt8]? { isInLine ? [UInt8(ascii: "\n")] : nil }
}
