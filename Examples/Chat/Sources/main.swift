// A chat that Firebase's SDKs, curl and this program share: chat FILE [PORT]

import Foundation
import RealtimeDatabase

let arguments = CommandLine.arguments
guard arguments.count > 1, let port = arguments.count > 2 ? Int(arguments[2]) : 9000 else {
    print("usage: chat FILE [PORT]")
    exit(2)
}

do {
    try await serve(arguments[1], at: port)
} catch {
    print("chat: \(error)")
    exit(1)
}

/// Serves the messages of a file until Ctrl-C.
func serve(_ file: String, at port: Int) async throws {
    let tree = try await TreeStore(engine: SQLiteEngine(path: file))
    try await tree.setRules(
        """
        {"rules": {"messages": {".read": true, "$id": {
            ".write": "!data.exists()",
            ".validate": "newData.child('text').isString() && newData.child('text').val().length <= 500"
        }}}}
        """)
    let server = try DatabaseServer(tree, DatabaseServerConfiguration(port: port)) { port in
        print("serving http://127.0.0.1:\(port)/messages.json")
    }
    let messages = try await tree.subscribe(to: "messages")
    try await withThrowingTaskGroup { group in
        group.addTask { try await server.run() }
        group.addTask {
            for try await change in messages {
                for write in change.writes {
                    guard let text = write.value?["text"]?.stringValue else { continue }
                    print("\(write.path): \(text)")
                }
            }
        }
        // What a program writes, listeners receive at once, too.
        try await tree.set("messages" / PushIDGenerator().next(), to: ["text": "The chat is open."])
        try await group.next()  // Ctrl-C, or an error.
        group.cancelAll()
    }
    await tree.close()
}
