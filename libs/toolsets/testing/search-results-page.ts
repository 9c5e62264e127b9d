/**
 * Modelled on a page of html.duckduckgo.com: an advertisement, a result, one without redirect and snippet, an odd link.
 */
export const SEARCH_RESULTS_PAGE = `<!DOCTYPE html>
<html lang="en"><head><title>switchyard at DuckDuckGo</title></head>
<body class="body--html"><div id="links" class="results">
<div class="result results_links results_links_deep result--ad"><div class="links_main links_deep result__body">
  <h2 class="result__title"><a rel="nofollow" class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example&amp;ad_provider=x">Buy a switchyard</a></h2>
  <a class="result__snippet" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Cheap.</a>
</div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
  <h2 class="result__title">
    <a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fen.wikipedia.org%2Fwiki%2FElectrical_substation%3Fa%3D1%26b%3D2&amp;rut=0123">Electrical <b>substation</b> &amp; switchyard &#x2F; Wikipedia</a>
  </h2>
  <div class="result__extras"><div class="result__extras__url"><a class="result__url" href="//duckduckgo.com/l/?uddg=x">en.wikipedia.org</a></div></div>
  <a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">A <b>switchyard</b> is a part of a substation&#39;s
     area &lt;where lines meet&gt;.</a>
</div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body">
  <h2 class="result__title"><a rel="nofollow" class="result__a" href="https://plain.example/page">Without a redirect</a></h2>
</div></div>
<div class="result web-result"><h2 class="result__title"><a class="result__a" href="//duckduckgo.com/l/?uddg=javascript%3Aalert(1)">Not a page</a></h2></div>
</div></body></html>`;
