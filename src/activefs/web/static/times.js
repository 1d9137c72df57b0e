// Times in the time zone of the reader; without scripts they are in UTC, which the title goes on to say.
"use strict";
(() => {
  const long = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const clock = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

  const show = () => {
    for (const time of document.querySelectorAll("time[datetime]:not([title])")) {
      const moment = new Date(time.dateTime);
      if (Number.isNaN(moment.getTime())) continue;
      time.title = time.textContent.trim();
      time.textContent = long.format(moment);
    }
    for (const notice of document.querySelectorAll("[data-notice]"))
      notice.textContent = notice.textContent.replace(/\b(\d\d):(\d\d):(\d\d) UTC/g, (_, ...parts) => {
        const moment = new Date();
        moment.setUTCHours(...parts.slice(0, 3).map(Number));
        return clock.format(moment);
      });
  };

  document.addEventListener("htmx:afterSwap", show);
  show();
})();
