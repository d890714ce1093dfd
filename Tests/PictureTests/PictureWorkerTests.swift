import Basics
import Foundation
import TestSupport
import Testing

@testable import Site

/// What a worker may do: end, hang, talk nonsense.
@Suite struct PictureWorkerTests {
    private func script(_ body: String, in folder: TemporaryFolder) throws -> String {
        try folder.write("worker", "#!/bin/sh\n" + body)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: folder.path + "/worker")
        return folder.path + "/worker"
    }

    private let header = ImageHeader(HostilePictureTests.flag())

    @Test(arguments: [
        ("echo 'picture-worker 1'; sleep 100", PictureFault.late),
        ("echo 'picture-worker 1'; exec head -c 10 > /dev/null", .crash),
        ("echo 'picture-worker 1'; kill -SEGV $$", .crash), ("echo 'picture-worker 1'; kill -XCPU $$", .late),
        ("echo 'picture-worker 1'; echo 'ok 99999999999'; sleep 100", .crash),
        ("echo 'picture-worker 1'; echo 'ok 10'; echo short; sleep 100", .late),
        ("echo 'picture-worker 1'; echo 'fault it is blue'; cat > /dev/null", .broken("it is blue")),
    ])
    func costsOnePicture(_ body: String, _ fault: PictureFault) throws {
        let folder = TemporaryFolder()
        let patience = fault == .late && body.contains("sleep") ? 0.5 : 30
        let worker = PictureWorker(program: try script(body, in: folder), secondsToWait: patience)
        // Twice: the second finds a new process, if the first is gone.
        for _ in 0..<(fault.isPassing ? 2 : 1) {
            #expect(throws: fault) {
                while true {
                    do {
                        return try worker.make(HostilePictureTests.flag(), header, PictureRecipe())
                    } catch let error
                        as FileError where error.code == ETXTBSY
                    {
                        // Another test has just forked and still has the script open for writing.
                    }
                }
            }
        }
        worker.end()
    }

    @Test(arguments: [nil, "exit 3", "echo hello; cat"])
    func oneThatDoesNotStartFailsTheBuild(_ body: String?) throws {
        let folder = TemporaryFolder()
        let worker = PictureWorker(program: try body.map { try script($0, in: folder) })
        #expect(throws: Failure.self) { try worker.make(HostilePictureTests.flag(), header, PictureRecipe()) }
    }

    /// A picture that took too long gets its page made anew as soon as it can be read; so do the pages that show it.
    @Test func whatFailedInPassingIsTriedAgain() throws {
        let shop = try PictureShop()
        try shop.add("a.png", HostilePictureTests.flag())
        let real = shop.options.pictureWorker
        let folder = TemporaryFolder()
        shop.options.pictureWorker = try script("echo 'picture-worker 1'; exit 1", in: folder)
        let report = try shop.build()
        #expect(
            report.warnings.map(\.message) == [
                "picture 'a.png' ends the program that reads it; the placeholder is shown"
            ])
        #expect(try shop.page(1).contains("nopic"))
        shop.options.pictureWorker = real
        #expect(try shop.build().warnings.isEmpty)
        #expect(shop.made == 1)
        #expect(try !shop.page(1).contains("nopic"))
        // As a clean build makes it.
        try shop.build(to: "clean")
        #expect(Tree.files(shop.folder.path + "/public") == Tree.files(shop.folder.path + "/clean"))
    }

    /// The pictures of a folder, made by a stand-in that notes its number once it has one, and then hangs.
    private func pictures(
        in folder: TemporaryFolder, jobs: Int, then end: String = "exec sleep 1000"
    ) throws -> PictureFolder {
        let worker = try script(
            "echo 'picture-worker 1'; [ \"$(head -c 1)\" ] || exit; echo $$ > '\(folder.file("n"))'; "
                + "mv '\(folder.file("n"))' '\(folder.file("number"))'; "
                + end, in: folder)
        // Until no other test that has just forked has it open for writing.
        for _ in 0..<1000 where (try? ChildProcess(worker).end()) == nil { usleep(1000) }
        for i in 1...9 { try folder.write("pictures/\(i).png", PictureCacheTests.picture(i)) }
        let root = try Directory(path: folder.path)
        return PictureFolder(
            try root.directory("pictures"), PictureSettings(), jobs: jobs, program: worker
        ) {
            try PictureCache(in: root.makingDirectory("cache"), output: "/nowhere")
        }
    }

    private func number(of folder: TemporaryFolder) throws -> pid_t {
        let text = String(decoding: Project.file(folder.file("number")), as: UTF8.self)
        return try #require(pid_t(text.prefix { $0.isNumber }))
    }

    /// A preview that ends waits for nobody: not for the picture in hand, nor for those behind it.
    @Test(arguments: [1, 2]) func whatIsMadeIsGivenUp(jobs: Int) throws {
        let folder = TemporaryFolder(inMemory: true)
        let pictures = try pictures(in: folder, jobs: jobs)
        let outcomes = Monitor<[Result<Picture, PictureFault>]>([])
        for i in 1...9 {
            detachThread {
                let outcome = pictures.find("\(i).png")
                outcomes.withLock { $0.append(outcome) }
            }
        }
        while access(folder.file("number"), F_OK) != 0 { usleep(1000) }
        let number = try number(of: folder)
        pictures.abandon()
        let all = outcomes.wait { $0.count == 9 ? $0 : nil }
        // A worker that was waited for would be late.
        for outcome in all { #expect(throws: PictureFault.crash) { try outcome.get() } }
        pictures.close()
        #expect(kill(number, 0) != 0)
        #expect(throws: PictureFault.crash) { try pictures.find("10.png").get() }
        #expect(TemporaryFolder.names(in: folder.file("cache")) == ["lock"])
    }

    /// A preview takes another when a picture has changed: threads and workers of the one before must not stay.
    @Test(arguments: [1, 2]) func whatIsNoLongerUsedEnds(jobs: Int) throws {
        let folder = TemporaryFolder(inMemory: true)
        weak var shop: PictureFolder.Workshop?
        do {
            let pictures = try pictures(in: folder, jobs: jobs, then: "echo 'fault no'; exec cat > /dev/null")
            shop = pictures.workshop()
            #expect(throws: PictureFault.broken("no")) { try pictures.find("1.png").get() }
            #expect(shop != nil)
        }
        // A thread may be about to leave.
        for _ in 0..<5000 where shop != nil { usleep(1000) }
        #expect(shop == nil)
        #expect(kill(try number(of: folder), 0) != 0)
    }

    @Test func aSiteWithoutPicturesNeedsNoWorker() throws {
        let shop = try PictureShop(database: "INSERT INTO products(id, name) VALUES (1, 'Product 1')")
        shop.options.pictureWorker = "/nowhere"
        #expect(try shop.build().counts.withoutPicture == 1)
        #expect(!FileManager.default.fileExists(atPath: shop.folder.path + "/.build-site/pictures"))
    }
}
