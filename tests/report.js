// report.js CHROMIUM PROFILE FILE…: axe-core's rules over each report, light and dark, at two widths. Fails with what axe finds, with
// a page wider than the window, and with anything that a page asks the network for. With SHOTS=DIR it also takes pictures.
const fs = require("fs");
const path = require("path");
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [chromium, profile, ...files] = process.argv.slice(2);

(async () => {
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];
  const browser = await puppeteer.launch({ executablePath: chromium, headless: true, userDataDir: profile, args });
  let wrong = 0;
  const complain = (text) => { wrong += 1; console.log(text); };
  for (const file of files) {
    for (const scheme of ["light", "dark"]) {
      for (const width of [1280, 360]) {
        const page = await browser.newPage();
        await page.setBypassCSP(true); // for axe alone
        page.on("request", (request) => {
          if (!/^(file|data):/.test(request.url())) complain(`${file} asks for ${request.url()}`);
        });
        await page.setViewport({ width, height: 900 });
        await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
        await page.goto("file://" + path.resolve(file));
        await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = true; }));
        await page.evaluate(axe);
        const found = await page.evaluate(() => window.axe.run());
        const where = `${file}, ${scheme}, ${width} px`;
        for (const rule of found.violations) {
          complain(`${where}: ${rule.id}: ${rule.help}: ${rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`);
        }
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        if (wide > 0) complain(`${where}: the page is ${wide} px wider than the window`);
        console.log(`report: ${where}: axe has ${found.passes.length} rules that hold, ${found.violations.length} that do not`);
        if (process.env.SHOTS) {
          await page.evaluate(() => document.querySelectorAll("details").forEach((each) => { each.open = false; }));
          const name = `${path.basename(file, ".html")}-${scheme}-${width}`;
          await page.screenshot({ path: path.join(process.env.SHOTS, name + ".png"), fullPage: true });
        }
        await page.close();
      }
    }
  }
  if (process.env.SHOTS) {
    for (const file of files) {
      const page = await browser.newPage();
      await page.goto("file://" + path.resolve(file));
      await page.pdf({ path: path.join(process.env.SHOTS, path.basename(file, ".html") + ".pdf"), format: "A4", preferCSSPageSize: true });
      await page.close();
    }
  }
  await browser.close();
  process.exit(wrong ? 1 : 0);
})();
