import ArgumentParser
import Isolation

/// The process in which the service decodes photos. It is not for people.
struct RenderWorkerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: RenderMode.workerCommand, shouldDisplay: false)

    func run() {
        RenderWorker.run()
    }
}
