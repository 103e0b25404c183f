import API
import ArgumentParser
import Client
import Files
import Foundation
import HTTPTypes
import NIOFoundationEssentialsCompat
import Uploads

extension PersonCommand {
    /// Sets or removes a person's picture.
    struct Avatar: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "avatar",
            abstract: "Set a person's picture, or remove it.",
            usage: "tintype person avatar <person> (<photo> | --remove) [<options>]",
            discussion: """
                The middle of the photo is cut out as a square, with sides of at most 512 pixels. The previous picture \
                stays at its URL for the grace period (the setting grace-period), for apps that still show it. In the \
                person's posts and comments the picture is replaced a little later. Use "tintype person set --picture" \
                for a picture at another URL.

                EXAMPLES
                  tintype person set maria --name "Maria Lind"
                  tintype person avatar maria photo.jpg
                  tintype person avatar maria - < photo.jpg
                  tintype person avatar maria --remove
                """)

        @OptionGroup var storage: StorageOptions

        // Some ids begin with a dash, so the parser reads them as unknown options.
        @Argument(
            parsing: .allUnrecognized,
            help: ArgumentHelp(
                "The id, e-mail address or name of the person, then a photo, or - for standard input.",
                valueName: "person photo"))
        var words: [String]

        @Flag(help: "Remove the picture.")
        var remove = false

        @Flag(help: "Print one JSON document.")
        var json = false

        func validate() throws {
            try PersonID.check(words)
            guard words.count == (remove ? 1 : 2) else {
                throw ValidationError(remove ? "name one person, and no photo" : "name a person and a photo")
            }
        }

        func run() async throws {
            let service = try APIClient(storage)
            let uid = try await PersonFinder(service: service).uid(of: words[0])
            let path = "\(PersonID.path(uid))/avatar"
            guard !remove else { return show(try await service.read(.delete, path)) }
            let photo = try UploadFile(path: words[1]).source()
            let (document, isWaiting) = try await service.open(
                .put, path, body: .stream(byteCount: photo.byteCount, photo)
            ) { response, body in
                (Data(buffer: try await body.collect(upTo: 1 << 20)), response.status == .accepted)
            }
            guard isWaiting else { return show(try PersonDocument(json: document)) }
            Terminal.note("the service has the photo, and renders the picture as soon as it can")
            if json { Terminal.outputJSON(try UploadDocument(json: document)) }
        }

        private func show(_ person: PersonDocument) {
            guard !json else { return Terminal.outputJSON(person) }
            Terminal.output("\(person.uid)  \(person.profilePicture ?? "no picture")".printable)
        }
    }
}
