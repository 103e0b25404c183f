import API
import NIOCore
import Testing

@testable import Requests

@Suite("A form is parsed as its bytes arrive")
struct MultipartParserTests {
    private static let contentType = "multipart/form-data; boundary=XX"

    /// The result of a body: names and contents, or the message of the refusal.
    private struct Outcome: Equatable {
        var parts: [String] = []
        var isFinished = false
        var refusal: String?
    }

    private func parse(
        _ body: [UInt8], chunk: Int, contentType: String = contentType
    ) -> Outcome {
        var outcome = Outcome()
        do {
            var parser = try MultipartParser(contentType: contentType)
            for start in stride(from: 0, to: body.count, by: chunk) {
                parser.feed(ByteBuffer(bytes: body[start..<min(start + chunk, body.count)]))
                while let event = try parser.next() {
                    switch event {
                    case .partBegan(let headers):
                        outcome.parts.append("\(headers.name)|\(headers.fileName ?? "")|")
                    case .partBytes(let buffer):
                        outcome.parts[outcome.parts.count - 1] += String(buffer: buffer)
                    case .partEnded:
                        outcome.parts[outcome.parts.count - 1] += "."
                    case .finished:
                        outcome.isFinished = true
                    }
                }
            }
        } catch {
            outcome.refusal = error.message
        }
        return outcome
    }

    static let bodies: [(body: String, parts: [String])] = [
        ("--XX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nhello\r\n--XX--\r\n", ["a||hello."]),
        (
            "--XX\r\ncontent-disposition:form-data;name=a;filename=b.jpg\r\nContent-Type: image/jpeg\r\n\r\n\r\n--XX--",
            ["a|b.jpg|."]
        ),
        (
            "preamble\r\n--XX \t\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\r\n--X\r\n--\r\r\n\r\n--XX\r\n"
                + "Content-Type: text/plain\r\nContent-Disposition: form-data; name=\"b\"; filename=\"x\\\"y;z.jpg\"\r\n\r\n"
                + "--XX\r\n--XX--epilogue\r\n--XX\r\n",
            ["a||\r\n--X\r\n--\r\r\n.", "b|x\"y;z.jpg|--XX."]
        ),
    ]

    @Test("The result is the same wherever the body is cut", arguments: bodies)
    func cutAnywhere(body: String, parts: [String]) {
        let bytes = Array(body.utf8)
        for chunk in 1...bytes.count {
            let outcome = parse(bytes, chunk: chunk)
            #expect(outcome == Outcome(parts: parts, isFinished: true), "in chunks of \(chunk)")
        }
    }

    @Test("Bytes that look like half a boundary are content", arguments: [1, 3, 7, 64, 1000])
    func binaryContent(chunk: Int) {
        let noise = String(repeating: "\r\r\n-\r\n--\r\n--X\r\n--Y", count: 40)
        let body = "--XX\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n\(noise)\r\n--XX--\r\n"
        #expect(parse(Array(body.utf8), chunk: chunk).parts == ["p||\(noise)."])
    }

    static let broken: [(body: String, message: String)] = [
        ("--XX\r\n\r\nhello\r\n--XX--", "no Content-Disposition"),
        ("--XX\r\nContent-Disposition: form-data\r\n\r\n\r\n--XX--", "form-data with a name"),
        ("--XX\r\nContent-Disposition: attachment; name=\"a\"\r\n\r\n\r\n--XX--", "form-data with a name"),
        ("--XX\r\nrubbish\r\n\r\n\r\n--XX--", "without a colon"),
        ("--XXrubbish\r\n", "follows a boundary"),
        ("--XX" + String(repeating: " ", count: 300), "follows a boundary"),
        ("--XX\r\nA: " + String(repeating: "x", count: 9000), "more than 8192 bytes"),
        ("--XX\r\nA: " + String(repeating: "x", count: 9000) + "\r\n\r\n", "more than 8192 bytes"),
        (
            String(repeating: "--XX\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n", count: 65) + "--XX--",
            "more than 64 parts"
        ),
    ]

    @Test("Malformed forms and forms over the limits are refused", arguments: broken, [1, 4096])
    func refusals(row: (body: String, message: String), chunk: Int) {
        let outcome = parse(Array(row.body.utf8), chunk: chunk)
        #expect(outcome.refusal?.contains(row.message) == true, "\(String(describing: outcome.refusal))")
        #expect(!outcome.isFinished)
    }

    @Test(
        "A boundary has 1 to 70 bytes, and the content type is that of a form",
        arguments: [
            "multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed; boundary=XX", "text/plain", "",
            "multipart/form-data; boundary=" + String(repeating: "b", count: 71),
        ])
    func badContentType(contentType: String) {
        #expect(throws: Failure.self) { try MultipartParser(contentType: contentType) }
    }

    @Test(arguments: ["\"XX\"", "XX", "XX; charset=utf-8", " \"XX\" ; a=b"])
    func boundaryMayBeQuoted(boundary: String) {
        let body = Array("--XX\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--XX--".utf8)
        #expect(parse(body, chunk: 10, contentType: "Multipart/Form-Data; boundary=\(boundary)").parts == ["a||1."])
    }
}
