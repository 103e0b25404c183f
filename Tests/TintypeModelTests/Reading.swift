import API
import Foundation
import TintypeModel

/// Returns a value that was decoded from JSON text, as an app decodes an answer.
func read<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
}

/// Returns a value that was decoded from JSON text, of the type that is expected.
func read<Value: Decodable>(_ json: String) throws -> Value { try read(Value.self, json) }

/// Returns a value that was decoded from a document of the service, in the form in which the service sends it.
func read<Value: Decodable>(_ type: Value.Type, _ document: some Document) throws -> Value {
    try JSONDecoder().decode(type, from: Data(document.json()))
}

/// Returns a value that was encoded and decoded again.
func again<Value: Codable>(_ value: Value) throws -> Value {
    try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
}

extension Date {
    /// Creates a date from a number of milliseconds since 1970, as the service writes it.
    init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }
}
